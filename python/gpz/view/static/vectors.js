// SPDX-License-Identifier: BSD-3-Clause
// Vectors are arrays of 3, quaternions of 4 (x, y, z, w), matrices of 16 in column order, as WebGL takes them.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);

// A point with the fractions s is s[0] rows[0] + s[1] rows[1] + s[2] rows[2].
const combine = (rows, s) => add(add(scale(rows[0], s[0]), scale(rows[1], s[1])), scale(rows[2], s[2]));

// Columns c for which dot(p, c[k]) is the fraction of p along rows[k]; null for edges in a plane.
function reciprocal(rows) {
  const volume = dot(rows[0], cross(rows[1], rows[2]));
  if (!volume || !Number.isFinite(1 / volume)) return null;
  return [0, 1, 2].map((k) => scale(cross(rows[(k + 1) % 3], rows[(k + 2) % 3]), 1 / volume));
}

function turnedBy(axis, angle, q) {
  const s = Math.sin(angle / 2), [ax, ay, az, aw] = [axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(angle / 2)];
  const [x, y, z, w] = q;
  const made = [aw * x + ax * w + ay * z - az * y, aw * y - ax * z + ay * w + az * x,
    aw * z + ax * y - ay * x + az * w, aw * w - ax * x - ay * y - az * z];
  const norm = Math.hypot(...made);
  return made.map((v) => v / norm);
}

// The rows of the rotation matrix of a quaternion.
function rotation([x, y, z, w]) {
  return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]];
}
