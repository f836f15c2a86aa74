// SPDX-License-Identifier: BSD-3-Clause
// Draws spheres, bonds and lines with WebGL2. A sphere is one point whose pixels are shaded as those of a sphere.

const shading = `
  uniform mat4 projection;
  uniform vec3 background;
  uniform vec2 haze;  // eye distances between which everything fades to the background
  out vec4 result;
  vec3 lit(vec3 colour, vec3 normal, float z) {
    float light = 0.55 + 0.5 * max(dot(normal, vec3(0.32, 0.48, 0.82)), 0.0);
    float shine = 0.18 * pow(max(dot(normal, vec3(0.17, 0.26, 0.95)), 0.0), 24.0);
    float rim = smoothstep(0.0, 0.4, normal.z);
    float far = clamp((-z - haze.x) / (haze.y - haze.x), 0.0, 1.0);
    return mix(colour * light * (0.5 + 0.5 * rim) + shine, background, 0.6 * far * far);
  }
  float depthOf(float z) {
    return 0.5 * (projection[2][2] * z + projection[3][2]) / (projection[2][3] * z + projection[3][3]) + 0.5;
  }`;

const sphereVertex = `#version 300 es
  layout(location = 0) in vec3 position;
  layout(location = 1) in vec4 colour;  // and the radius, as a part of the largest
  uniform mat4 view, projection;
  uniform float radius, height;
  flat out vec3 tint;
  flat out vec2 centre;  // eye z, radius
  void main() {
    vec4 eye = view * vec4(position, 1.0);
    float r = radius * colour.a;
    gl_Position = projection * eye;
    gl_PointSize = clamp(projection[1][1] * r / gl_Position.w * height, 1.0, 1000.0);
    tint = colour.rgb;
    centre = vec2(eye.z, r);
  }`;

const sphereFragment = (exact) => `#version 300 es
  precision highp float;
  flat in vec3 tint;
  flat in vec2 centre;
  ${shading}
  void main() {
    vec2 p = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
    float square = dot(p, p);
    if (square > 1.0) discard;
    vec3 normal = vec3(p, sqrt(1.0 - square));
    result = vec4(lit(tint, normal, centre.x), 1.0);
    ${exact ? "gl_FragDepth = depthOf(centre.x + centre.y * normal.z);" : ""}
  }`;

const bondVertex = `#version 300 es
  layout(location = 0) in vec3 here;    // the end of this corner, and the other
  layout(location = 1) in vec3 there;
  layout(location = 2) in vec4 hereColour;
  layout(location = 3) in vec4 thereColour;
  uniform mat4 view, projection;
  uniform float radius;
  out vec3 place;      // across, along, eye z
  flat out vec3 firstTint, secondTint;
  out vec3 side;
  void main() {
    vec3 eye = (view * vec4(here, 1.0)).xyz, other = (view * vec4(there, 1.0)).xyz;
    vec3 toward = projection[3][3] == 1.0 ? vec3(0.0, 0.0, 1.0) : -eye;
    bool isSecond = (gl_VertexID & 2) == 2;
    vec3 aside = cross(isSecond ? eye - other : other - eye, toward);
    float across = (gl_VertexID & 1) == 1 ? 1.0 : -1.0;
    side = length(aside) > 0.0 ? normalize(aside) : vec3(1.0, 0.0, 0.0);
    eye += across * radius * side;
    gl_Position = projection * vec4(eye, 1.0);
    place = vec3(across, isSecond ? 1.0 : 0.0, eye.z);
    firstTint = isSecond ? thereColour.rgb : hereColour.rgb;
    secondTint = isSecond ? hereColour.rgb : thereColour.rgb;
  }`;

const bondFragment = `#version 300 es
  precision highp float;
  in vec3 place;
  flat in vec3 firstTint, secondTint;
  in vec3 side;
  uniform float radius;
  ${shading}
  void main() {
    float forward = sqrt(max(0.0, 1.0 - place.x * place.x));
    vec3 normal = normalize(side * place.x + vec3(0.0, 0.0, forward));
    result = vec4(lit(place.y < 0.5 ? firstTint : secondTint, normal, place.z), 1.0);
    gl_FragDepth = depthOf(place.z + radius * forward);
  }`;

const lineVertex = `#version 300 es
  layout(location = 0) in vec3 position;
  uniform mat4 view, projection;
  void main() { gl_Position = projection * view * vec4(position, 1.0); }`;

const lineFragment = `#version 300 es
  precision highp float;
  uniform vec3 colour;
  out vec4 result;
  void main() { result = vec4(colour, 1.0); }`;

const EXACT_UP_TO = 120000;  // spheres. Of more, depth is that of their centres: no pixel shows the difference

// On slow machines, while something moves: the resolution, and one of how many spheres is drawn, as a larger one.
const EXACT = {scale: 1, each: 1};
const ROUGH = [EXACT, {scale: 0.6, each: 1}, {scale: 0.5, each: 4}, {scale: 0.4, each: 16}];
const EASY = 4000;  // as many spheres are always drawn

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", {antialias: true, alpha: false, powerPreference: "high-performance"});
    if (!gl) throw new Error("this browser has no WebGL2, which the pictures need");
    this.gl = gl;
    this.spheres = {exact: this.program(sphereVertex, sphereFragment(true)), plain: this.program(sphereVertex, sphereFragment(false))};
    this.bonds = this.program(bondVertex, bondFragment);
    this.lines = this.program(lineVertex, lineFragment);
    this.buffers = {};
    for (const name of ["positions", "colours", "order", "few", "bondEnds", "bondColours", "bondCorners", "lines"]) this.buffers[name] = gl.createBuffer();
    this.counts = {atoms: 0, visible: null, bonds: 0, lines: 0};
    this.rough = EXACT;
    gl.enable(gl.DEPTH_TEST);
  }

  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(`shader: ${gl.getShaderInfoLog(shader)}`);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(`shader: ${gl.getProgramInfoLog(made)}`);
    const places = {};
    return {made, at: (name) => (places[name] ??= gl.getUniformLocation(made, name))};
  }

  fill(name, data, target = this.gl.ARRAY_BUFFER) {
    this.gl.bindBuffer(target, this.buffers[name]);
    this.gl.bufferData(target, data, this.gl.DYNAMIC_DRAW);
  }

  // positions: Float32Array, 3 an atom. order: Uint32Array of the atoms to draw, or null for all.
  setPositions(positions) {
    this.fill("positions", positions);
    this.counts.atoms = positions.length / 3;
  }

  setColours(colours) { this.fill("colours", colours); }

  setOrder(order) {
    this.order = order;
    this.few = null;
    this.counts.visible = order === null ? null : order.length;
    if (order !== null) this.fill("order", order, this.gl.ELEMENT_ARRAY_BUFFER);
  }

  // An even part of the visible spheres.
  setFew(each) {
    if (this.few?.each === each) return;
    const n = this.counts.visible ?? this.counts.atoms, rows = [];
    for (let k = 0; k < n; ++k) if ((k * 0.6180339887498949) % 1 < 1 / each) rows.push(this.order ? this.order[k] : k);
    this.few = {each, count: rows.length};
    this.fill("few", new Uint32Array(rows), this.gl.ELEMENT_ARRAY_BUFFER);
  }

  // ends: 4 corners a bond, first left, first right, second left, second right, with 6 floats each: the end of the corner, and the other. colours: 8 bytes a corner.
  setBonds(ends, colours) {
    const corners = new Uint32Array(ends.length / 4);
    for (let k = 0, first = 0; k < corners.length; k += 6, first += 4) corners.set([first, first + 1, first + 2, first + 2, first + 1, first + 3], k);
    this.fill("bondEnds", ends);
    this.fill("bondColours", colours);
    this.fill("bondCorners", corners, this.gl.ELEMENT_ARRAY_BUFFER);
    this.counts.bonds = corners.length;
  }

  setLines(ends) {
    this.fill("lines", ends);
    this.counts.lines = ends.length / 3;
  }

  attribute(place, size, kind, isNormal, stride, offset) {
    const gl = this.gl;
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, kind, isNormal, stride, offset);
  }

  use({made, at}, {view, projection, near, far}, look) {
    const gl = this.gl;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at("view"), false, view);
    gl.uniformMatrix4fv(at("projection"), false, projection);
    gl.uniform3fv(at("background"), look.background);
    gl.uniform2f(at("haze"), near + 0.35 * (far - near), far);
    for (let place = 0; place < 4; ++place) gl.disableVertexAttribArray(place);
  }

  // Waits until what was drawn is there.
  finish() { this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4)); }

  // look: {background, lineColour, radius (largest, distance units), bondRadius, hasAtoms, hasBonds, hasLines}
  draw(camera, origin, look) {
    const gl = this.gl, canvas = this.canvas;
    const ratio = (window.devicePixelRatio || 1) * this.rough.scale;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(...look.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const matrices = camera.matrices(width, height, origin);
    const drawn = this.counts.visible ?? this.counts.atoms, each = drawn > EASY ? this.rough.each : 1;
    if (look.hasAtoms && drawn) {
      const program = drawn <= EXACT_UP_TO && this.rough === EXACT ? this.spheres.exact : this.spheres.plain;
      this.use(program, matrices, look);
      gl.uniform1f(program.at("radius"), look.radius * Math.cbrt(each));
      gl.uniform1f(program.at("height"), height);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.positions);
      this.attribute(0, 3, gl.FLOAT, false, 0, 0);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.colours);
      this.attribute(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
      if (each > 1) {
        this.setFew(each);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.few);
        gl.drawElements(gl.POINTS, this.few.count, gl.UNSIGNED_INT, 0);
      } else if (this.counts.visible === null) {
        gl.drawArrays(gl.POINTS, 0, drawn);
      } else {
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.order);
        gl.drawElements(gl.POINTS, drawn, gl.UNSIGNED_INT, 0);
      }
    }
    if (look.hasBonds && this.counts.bonds) {
      this.use(this.bonds, matrices, look);
      gl.uniform1f(this.bonds.at("radius"), look.bondRadius);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.bondEnds);
      this.attribute(0, 3, gl.FLOAT, false, 24, 0);
      this.attribute(1, 3, gl.FLOAT, false, 24, 12);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.bondColours);
      this.attribute(2, 4, gl.UNSIGNED_BYTE, true, 8, 0);
      this.attribute(3, 4, gl.UNSIGNED_BYTE, true, 8, 4);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.bondCorners);
      gl.drawElements(gl.TRIANGLES, this.counts.bonds, gl.UNSIGNED_INT, 0);
    }
    if (look.hasLines && this.counts.lines) {
      this.use(this.lines, matrices, look);
      gl.uniform3fv(this.lines.at("colour"), look.lineColour);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.lines);
      this.attribute(0, 3, gl.FLOAT, false, 0, 0);
      gl.drawArrays(gl.LINES, 0, this.counts.lines);
    }
    return matrices;
  }
}
