// SPDX-License-Identifier: BSD-3-Clause
// Where the picture is taken from.

class Camera {
  constructor() {
    this.centre = [0, 0, 0];   // of everything
    this.target = [0, 0, 0];   // what is in the middle, distance units
    this.turn = [0, 0, 0, 1];
    this.extent = 1;           // half of what fits into the smaller side of the picture, distance units
    this.depth = 1;            // how far in front of and behind the target there is anything
    this.isFlat = false;       // without perspective
  }

  // aspect: width of the picture by its height.
  fit(origin, rows, isFlat, aspect) {
    const corner = (s) => add(origin, combine(rows, s));
    this.target = this.centre = corner([0.5, 0.5, 0.5]);
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => subtract(corner([k & 1, (k >> 1) & 1, k >> 2]), this.target));
    this.depth = Math.max(...corners.map(length)) || 1;
    this.isFlat = isFlat;
    // In a plane the sides count, else the box is to fit in while it turns.
    this.extent = isFlat ? Math.max(...corners.map((c) => Math.max(Math.abs(c[0]) / Math.max(1, aspect), Math.abs(c[1]) * Math.min(1, aspect)))) * 1.05 : this.depth * 1.1;
    if (!(this.extent > 0)) this.extent = 1;
    this.turn = isFlat ? [0, 0, 0, 1] : turnedBy([1, 0, 0], -1.25, turnedBy([0, 0, 1], -0.5, [0, 0, 0, 1]));
  }

  look(axis) {
    const up = turnedBy([1, 0, 0], -Math.PI / 2, [0, 0, 0, 1]);  // z up
    this.turn = axis === "z" ? [0, 0, 0, 1] : axis === "y" ? up : turnedBy([1, 0, 0], -Math.PI / 2, turnedBy([0, 0, 1], -Math.PI / 2, [0, 0, 0, 1]));
  }

  rotate(dx, dy) {
    const angle = Math.hypot(dx, dy);
    if (angle) this.turn = turnedBy([dy / angle, dx / angle, 0], angle, this.turn);
  }

  // By parts of the smaller side of the picture.
  move(dx, dy) {
    const [right, up] = rotation(this.turn);
    this.target = add(this.target, add(scale(right, -2 * dx * this.extent), scale(up, 2 * dy * this.extent)));
  }

  zoom(factor) { this.extent *= factor; }

  // {view, projection, distance}: view takes points relative to `origin`.
  matrices(width, height, origin) {
    const distance = this.isFlat ? 2 * this.depth + this.extent : this.extent * 3.7;  // an angle of 30 degrees
    const rows = rotation(this.turn), middle = subtract(origin, this.target);
    const view = new Float32Array(16);
    for (let row = 0; row < 3; ++row) {
      for (let column = 0; column < 3; ++column) view[4 * column + row] = rows[row][column];
      view[12 + row] = dot(rows[row], middle) - (row === 2 ? distance : 0);
    }
    view[15] = 1;
    const reach = this.depth + length(subtract(this.target, this.centre));
    const near = Math.max(distance - 1.3 * reach, 0.01 * distance), far = distance + 1.3 * reach;
    const aspect = Math.max(1, width / height), tall = Math.max(1, height / width);
    const projection = new Float32Array(16);
    const size = this.isFlat ? 1 / this.extent : distance / this.extent;
    projection[0] = size / aspect;
    projection[5] = size / tall;
    if (this.isFlat) {
      projection[10] = -2 / (far - near);
      projection[14] = -(far + near) / (far - near);
      projection[15] = 1;
    } else {
      projection[10] = -(far + near) / (far - near);
      projection[11] = -1;
      projection[14] = -2 * far * near / (far - near);
    }
    return {view, projection, near, far};
  }
}
