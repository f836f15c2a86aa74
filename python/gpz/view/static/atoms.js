// SPDX-License-Identifier: BSD-3-Clause
// The particles of a frame as the renderer takes them: places, colours, which are visible, bonds.

const typeColours = ["4477aa", "ee6677", "228833", "ccbb44", "66ccee", "aa3377", "bbbbbb", "ee8866", "44bb99", "99ddff", "ffaabb", "777777"];
const colourOf = (text) => [0, 2, 4].map((k) => parseInt(text.slice(k, k + 2), 16));
// Viridis, every 16th of its 256 colours.
const viridis = ["440154", "481a6c", "472f7d", "414487", "39568c", "31688e", "2a788e", "23888e", "1f988b", "22a884", "35b779", "54c568", "7ad151", "a5db36", "d2e21b", "fde725"].map(colourOf);
const BOND_SHADES = 256;

class Atoms {
  constructor(species) {
    this.species = species;
    this.head = null;
    this.arrays = {};
    this.identity = {};          // ids and types, which messages leave out while they stay the same
    this.pairs = null;           // bonds: ids of their particles
    this.rows = null;            // of an id
    this.range = null;           // of the values that colours are for
    this.shades = Array.from({length: BOND_SHADES}, (_, k) => {
      const place = (k / (BOND_SHADES - 1)) * (viridis.length - 1), low = Math.min(viridis.length - 2, Math.floor(place));
      return [0, 1, 2].map((c) => Math.round(viridis[low][c] + (viridis[low + 1][c] - viridis[low][c]) * (place - low)));
    });
  }

  get count() { return this.head ? this.head.n_shown : 0; }

  take({head, arrays}) {
    this.sameIdentity = this.head !== null && head.identity === this.head.identity;
    if (!this.sameIdentity) {
      this.identity = {ids: arrays.ids, types: arrays.types};
      this.rows = null;
    }
    this.head = head;
    this.arrays = arrays;
    this.reciprocal = head.matrix ? reciprocal(head.matrix) : null;
    this.original = arrays.positions;
  }

  // With the particles that are outside of a periodic box moved into it.
  wrap(isWanted) {
    this.arrays.positions = this.original;
    const inverse = this.reciprocal, {periodic, matrix} = this.head;
    if (!isWanted || !inverse || !periodic.some(Boolean)) return;
    const moved = new Float32Array(this.original);
    for (let k = 0; k < moved.length; k += 3) {
      for (let axis = 0; axis < 3; ++axis) {
        if (!periodic[axis]) continue;
        const c = inverse[axis], images = Math.floor(moved[k] * c[0] + moved[k + 1] * c[1] + moved[k + 2] * c[2]);
        if (images) for (let j = 0; j < 3; ++j) moved[k + j] -= images * matrix[axis][j];
      }
    }
    this.arrays.positions = moved;
  }

  // The edges that hold the particles: of the box, else of what is there.
  get edges() { return this.head.matrix ?? this.extent(); }

  extent() {
    const high = [0, 0, 0], positions = this.arrays.positions;
    for (let k = 0; k < positions.length; ++k) if (positions[k] > high[k % 3] && Number.isFinite(positions[k])) high[k % 3] = positions[k];
    return [[high[0], 0, 0], [0, high[1], 0], [0, 0, high[2]]];
  }

  // A distance between neighbours, from the density.
  spacing() {
    const rows = this.edges, n = Math.max(1, this.head.n_particles);
    const plane = length(cross(rows[0], rows[1])), volume = Math.abs(dot(cross(rows[0], rows[1]), rows[2]));
    const found = this.head.dimension === 2 || !(volume > 0) ? Math.sqrt(plane / n) : Math.cbrt(volume / n);
    return found > 0 ? found : (Math.max(...rows.map(length)) || 1) / Math.cbrt(n);
  }

  speciesOf(type) {
    const known = this.species[type - 1];
    const colour = known?.colour ?? typeColours[(((type - 1) % typeColours.length) + typeColours.length) % typeColours.length];
    return {name: known?.name ?? String(type), colour: colourOf(colour), radius: known?.radius ?? null};
  }

  typesThere() {
    const types = this.identity.types;
    return types ? [...new Set(types)].sort((a, b) => a - b) : [];
  }

  // {colours: 4 bytes an atom, largest: radius of 255 in the fourth}
  colours(column) {
    const {types} = this.identity, {values} = this.arrays, n = this.count, made = new Uint8Array(4 * n);
    const looks = new Map(), usual = this.spacing() / 2;
    for (const type of types ? this.typesThere() : [1]) looks.set(type, this.speciesOf(type));
    let largest = 0;
    for (const look of looks.values()) largest = Math.max(largest, look.radius ?? usual);
    for (const look of looks.values()) look.part = Math.max(1, Math.round((255 * (look.radius ?? usual)) / largest));
    const only = looks.values().next().value;
    const byValue = column && values;
    if (byValue && !this.range) this.range = this.rangeOf(values);
    const [low, high] = byValue ? this.range : [0, 1], factor = (BOND_SHADES - 1) / (high - low || 1);
    for (let k = 0; k < n; ++k) {
      const look = types ? looks.get(types[k]) : only;
      let colour = look.colour;
      if (byValue) {
        const shade = (values[k] - low) * factor;
        colour = shade === shade ? this.shades[Math.max(0, Math.min(BOND_SHADES - 1, Math.round(shade)))] : [136, 136, 136];
      }
      made[4 * k] = colour[0];
      made[4 * k + 1] = colour[1];
      made[4 * k + 2] = colour[2];
      made[4 * k + 3] = look.part;
    }
    return {colours: made, largest};
  }

  // Without the outermost hundredths, so that one odd value does not take all the colours.
  rangeOf(values) {
    const step = Math.max(1, Math.floor(values.length / 20000)), sample = [];
    for (let k = 0; k < values.length; k += step) if (Number.isFinite(values[k])) sample.push(values[k]);
    sample.sort((a, b) => a - b);
    if (!sample.length) return [0, 1];
    const at = (part) => sample[Math.round(part * (sample.length - 1))];
    return at(0.01) < at(0.99) ? [at(0.01), at(0.99)] : [sample[0], sample[sample.length - 1]];
  }

  // choice: {hidden: Set of types, ids: [low, high] or null, region: [[low, high] x 3] or null}. Null if all are visible.
  visible(choice) {
    const {ids, types} = this.identity, positions = this.arrays.positions, n = this.count;
    const rows = this.edges, inverse = reciprocal(rows) ?? [0, 1, 2].map((k) => {
      const square = dot(rows[k], rows[k]);  // edges in a plane, which are rectangular
      return square ? scale(rows[k], 1 / square) : [0, 0, 0];
    });
    const range = ids ? choice.ids : null;
    const limits = (choice.region ?? [[0, 1], [0, 1], [0, 1]]).map(([low, high]) => [low <= 0 ? -Infinity : low, high >= 1 ? Infinity : high]);
    const axes = [0, 1, 2].filter((axis) => limits[axis][0] !== -Infinity || limits[axis][1] !== Infinity);
    const order = new Uint32Array(n);
    let count = 0;
    atoms: for (let k = 0; k < n; ++k) {
      if (types && choice.hidden.has(types[k])) continue;
      if (range && (ids[k] < range[0] || ids[k] > range[1])) continue;
      const x = positions[3 * k], y = positions[3 * k + 1], z = positions[3 * k + 2];
      if (!(Math.abs(x) < Infinity && Math.abs(y) < Infinity && Math.abs(z) < Infinity)) continue;
      for (const axis of axes) {
        const c = inverse[axis], part = x * c[0] + y * c[1] + z * c[2];
        if (!(part >= limits[axis][0] && part <= limits[axis][1])) continue atoms;
      }
      order[count++] = k;
    }
    return count === n ? null : order.subarray(0, count);
  }

  rowsOfIds() {
    if (this.rows) return this.rows;
    const {ids} = this.identity;
    let low = Infinity, high = -Infinity;
    for (const id of ids) { if (id < low) low = id; if (id > high) high = id; }
    if (high - low < 8 * ids.length + 1000) {
      const table = new Int32Array(Math.max(0, high - low + 1)).fill(-1);
      for (let k = 0; k < ids.length; ++k) table[ids[k] - low] = k;
      this.rows = (id) => (id >= low && id <= high ? table[id - low] : -1);
    } else {
      const map = new Map();
      for (let k = 0; k < ids.length; ++k) map.set(ids[k], k);
      this.rows = (id) => map.get(id) ?? -1;
    }
    return this.rows;
  }

  // Bonds of visible particles, as the renderer takes them, without those that cross a periodic boundary.
  bonds(order, colours) {
    const pairs = this.pairs, positions = this.arrays.positions;
    if (!pairs || !pairs.atom1.length || !this.identity.ids) return {ends: new Float32Array(0), colours: new Uint8Array(0)};
    const row = this.rowsOfIds(), {atom1, atom2} = pairs, m = atom1.length;
    let shown = null;
    if (order) { shown = new Uint8Array(this.count); for (const k of order) shown[k] = 1; }
    const longest = this.head.matrix ? Math.min(...this.head.matrix.map(length).filter((edge) => edge > 0)) / 2 : Infinity;
    const ends = new Float32Array(24 * m), tints = new Uint8Array(32 * m);
    let count = 0;
    for (let b = 0; b < m; ++b) {
      const i = row(atom1[b]), j = row(atom2[b]);
      if (i < 0 || j < 0 || (shown && !(shown[i] && shown[j]))) continue;
      const dx = positions[3 * i] - positions[3 * j], dy = positions[3 * i + 1] - positions[3 * j + 1], dz = positions[3 * i + 2] - positions[3 * j + 2];
      if (!(dx * dx + dy * dy + dz * dz <= longest * longest)) continue;
      for (let corner = 0; corner < 4; ++corner) {
        const here = corner < 2 ? i : j, there = corner < 2 ? j : i, end = 24 * count + 6 * corner, tint = 32 * count + 8 * corner;
        for (let axis = 0; axis < 3; ++axis) {
          ends[end + axis] = positions[3 * here + axis];
          ends[end + 3 + axis] = positions[3 * there + axis];
        }
        for (let c = 0; c < 3; ++c) {
          tints[tint + c] = colours[4 * here + c];
          tints[tint + 4 + c] = colours[4 * there + c];
        }
      }
      ++count;
    }
    return {ends: ends.subarray(0, 24 * count), colours: tints.subarray(0, 32 * count)};
  }

  boxLines() {
    const rows = this.head.matrix;
    if (!rows) return new Float32Array(0);
    const ends = [], isFlat = this.head.dimension === 2;
    for (let axis = 0; axis < (isFlat ? 2 : 3); ++axis)
      for (const [u, v] of isFlat ? [[0, 0.5], [1, 0.5]] : [[0, 0], [0, 1], [1, 0], [1, 1]])
        for (const s of [0, 1]) {
          const place = [0, 0, 0];
          place[axis] = s;
          if (isFlat) { place[1 - axis] = u; place[2] = v; } else { place[(axis + 1) % 3] = u; place[(axis + 2) % 3] = v; }
          ends.push(...combine(rows, place));
        }
    return new Float32Array(ends);
  }
}
