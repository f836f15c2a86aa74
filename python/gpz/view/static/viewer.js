// SPDX-License-Identifier: BSD-3-Clause
// The page: what its controls do.

const byId = (id) => document.getElementById(id);
const KEPT_BYTES = 256 * 2 ** 20;  // of frames that were shown, so that going back is quick
const AHEAD = 2;                   // frames that are asked for before they are shown, while playing
const KEPT_IDENTITIES = 8;          // more than there are requests at a time
const SLOW = 45, QUICK = 8;         // milliseconds that a moving picture may take, and those that allow a better one

class Viewer {
  constructor() {
    this.source = PageSource.isThere() ? new PageSource() : new ServerSource();
    this.renderer = new Renderer(byId("picture"));
    this.camera = new Camera();
    this.hidden = new Set();      // types
    this.region = [[0, 1], [0, 1], [0, 1]];
    this.kept = new Map();        // messages by their keys, oldest first
    this.keptBytes = 0;
    this.identities = new Map();  // ids and types by their digests
    this.wanted = 0;
    this.shown = null;            // the number of the frame in the picture
    this.isPlaying = false;
    this.bondsOf = null;
    this.pictures = 0;            // drawn so far
    this.roughness = this.slow = this.quick = 0;
    this.plot = new Plot(byId("plot"), (k) => this.go(k));
    this.connect();
  }

  async start() {
    await this.loadIndex();
    if (!this.index.n_frames) { this.say(`${this.index.name} has no complete frame yet`); byId("loading").hidden = true; return; }
    await this.go(0);
  }

  async loadIndex() {
    const {head, arrays} = await this.source.index();
    const isFirst = this.index === undefined;
    this.index = head;
    this.ofFrames = arrays;
    this.atoms ??= new Atoms(head.species);
    this.atoms.species = head.species;
    document.title = `${head.name} - gpz view`;
    byId("name").textContent = head.name;
    const bytes = head.size;
    byId("about").textContent = `${head.n_frames} frames, ${(bytes / 1e6).toPrecision(4)} MB` + (head.torn ? "; the end is not complete: its writer was stopped, or still writes" : "");
    byId("slider").max = byId("number").max = byId("last").textContent = Math.max(0, head.n_frames - 1);
    this.note(head.notes.join("; "));
    if (isFirst) byId("style").value = head.has_bonds ? "sticks" : "spheres";
    byId("style").options[1].disabled = !head.has_bonds;
    byId("reload").hidden = !this.source.canGrow;
    document.querySelector("footer").inert = false;
    const series = byId("series"), chosen = series.value;
    const names = [...head.observables.map(({name, unit}) => (unit ? `${name} (${unit})` : name)), "bytes of the frame", "particles"];
    series.replaceChildren(...names.map((name) => new Option(name, name)));
    if (names.includes(chosen)) series.value = chosen;
    this.drawPlot();
  }

  // --- Frames ---

  // Shows a frame. Of several that are asked for while one is read, only the last is read.
  go(k) {
    this.wanted = Math.max(0, Math.min(this.index.n_frames - 1, k));
    byId("slider").value = byId("number").value = this.wanted;
    return (this.reading ??= this.readWanted().finally(() => { this.reading = null; }));
  }

  async readWanted() {
    let k, key;
    do {
      k = this.wanted;
      key = this.key(k);
      try {
        const message = await this.message(k);
        await this.readBonds(k);
        this.show(k, message);
      } catch (error) {
        this.fail(k, error);
      }
    } while (key !== this.key(this.wanted));
  }

  key(k) {
    return `${k} ${byId("column").value} ${this.serverRegion() ?? ""}`;
  }

  // The region where a sampled frame is wanted; null: everywhere, or the page has all particles.
  serverRegion() {
    const isSampled = this.index.most_particles > this.index.limit;
    return isSampled && this.region.some(([low, high]) => low > 0 || high < 1) ? this.region.flat() : null;
  }

  async message(k) {
    const key = this.key(k);
    if (!this.kept.has(key)) {
      const asked = this.source.frame(k, {column: byId("column").value, region: this.serverRegion(), known: this.known});
      const kept = {ready: asked.then(async (message) => {
        kept.bytes = message.bytes;
        this.keptBytes += message.bytes;
        await this.complete(message);
        return message;
      })};
      this.kept.set(key, kept);
      kept.ready.catch(() => this.kept.delete(key));
    }
    const found = this.kept.get(key);
    this.kept.delete(key);  // to the end: the last that is forgotten
    this.kept.set(key, found);
    for (const [old, {bytes}] of this.kept) {
      if (this.keptBytes <= KEPT_BYTES || this.kept.size <= AHEAD + 2) break;
      if (bytes === undefined) continue;
      this.kept.delete(old);
      this.keptBytes -= bytes;
    }
    return found.ready;
  }

  // Ids and types of a message, which has none if the page has them.
  async complete({head, arrays}) {
    let found = this.identities.get(head.identity);
    if (!found) {
      const {ids, types} = this.source.identity ? (await this.source.identity(head.identity)).arrays : arrays;
      found = {ids, types};
      this.identities.set(head.identity, found);
      if (this.identities.size > KEPT_IDENTITIES) this.identities.delete(this.identities.keys().next().value);
    }
    this.known = head.identity;
    Object.assign(arrays, found);
  }

  async readBonds(k) {
    if (!this.index.has_bonds) return;
    const from = this.index.table_frames.filter((frame) => frame <= k).pop();
    if (from === undefined || from === this.bondsOf) return;
    this.bondsOf = from;
    try {
      const {head, arrays} = await this.source.bonds(from);
      this.atoms.pairs = arrays;
      if (head.n_bonds && !arrays.atom1.length) this.note(`${head.n_bonds} bonds are too many to draw`);
    } catch (error) {
      this.atoms.pairs = null;
      this.note(`bonds: ${error.message}`);
    }
  }

  fail(k, error) {
    this.say(`frame ${k}: ${error.message}`);
    this.failed = k;
    this.markFrame(k);
    byId("loading").hidden = true;
  }

  show(k, message) {
    const isFirst = this.shown === null;
    this.atoms.take(message);
    this.shown = k;
    this.failed = null;
    this.say("");
    byId("loading").hidden = true;
    const {head} = message;
    this.atoms.wrap(byId("wrap").checked);
    if (isFirst) {
      document.querySelector("aside").inert = false;
      this.fit(head);
    }
    if (head.n_shown < head.n_particles)
      this.note(`${head.n_shown.toLocaleString("en")} of ${head.n_particles.toLocaleString("en")} particles: ` +
        (head.is_sample ? "a sample. Choose a smaller region, or gpz view --atoms, to see more" : "all of the region"));
    else this.note(this.index.notes.join("; "));
    if (!this.atoms.sameIdentity || isFirst) this.listTypes();
    this.listColumns(head);
    this.arrange();
    this.markFrame(k);
    this.facts(message);
  }

  fit(head = this.atoms?.head) {
    if (!head) return;
    byId("flat").checked = head.dimension === 2;
    const canvas = byId("picture");
    this.camera.fit(head.origin, this.atoms.edges, head.dimension === 2, canvas.clientWidth / Math.max(1, canvas.clientHeight));
    this.redraw();
  }

  // Everything that depends on positions, colours and selection goes to the renderer.
  arrange() {
    const {atoms, renderer} = this, look = atoms.colours(byId("column").value);
    this.largest = look.largest;
    this.order = atoms.visible({hidden: this.hidden, ids: this.idRange(), region: this.region});
    renderer.setPositions(atoms.arrays.positions);
    renderer.setColours(look.colours);
    renderer.setOrder(this.order);
    const hasBonds = byId("style").value === "sticks";
    const bonds = hasBonds ? atoms.bonds(this.order, look.colours) : {ends: new Float32Array(0), colours: new Uint8Array(0)};
    renderer.setBonds(bonds.ends, bonds.colours);
    renderer.setLines(atoms.boxLines());
    const drawn = this.order === null ? atoms.count : this.order.length;
    byId("drawn").textContent = `${drawn.toLocaleString("en")} of ${atoms.count.toLocaleString("en")} drawn`;
    this.showScale();
    this.redraw();
  }

  idRange() {
    const low = byId("idLow").value, high = byId("idHigh").value;
    return low === "" && high === "" ? null : [low === "" ? -Infinity : Number(low), high === "" ? Infinity : Number(high)];
  }

  // --- Pictures ---

  look() {
    const isDark = byId("dark").checked, style = byId("style").value, factor = 2 ** Number(byId("size").value);
    const knownRadii = this.index.species.some(({radius}) => radius !== null);
    const part = style === "spheres" ? (knownRadii ? 1.6 : 1) : style === "sticks" ? 0.5 : 0.3;
    const radius = this.largest * part * factor;
    return {background: isDark ? [0.086, 0.094, 0.11] : [1, 1, 1], lineColour: isDark ? [0.6, 0.6, 0.65] : [0.35, 0.35, 0.4], radius,
      bondRadius: 0.12 * this.largest * factor, hasAtoms: true, hasBonds: style === "sticks", hasLines: byId("box").checked};
  }

  // Draws in the next animation frame. isMoving: a rougher picture will do, if that is needed for smooth movement.
  redraw(isMoving = this.isPlaying) {
    this.isMoving = isMoving;
    if (this.asked || this.shown === null) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = null;
      this.renderer.rough = this.isMoving ? ROUGH[this.roughness] : EXACT;
      this.camera.isFlat = byId("flat").checked;
      const began = performance.now();
      this.matrices = this.renderer.draw(this.camera, this.atoms.head.origin, this.look());
      if (this.isMoving) {
        this.renderer.finish();
        this.adapt(performance.now() - began);
      }
      ++this.pictures;
      clearTimeout(this.sharpen);
      if (this.renderer.rough !== EXACT) this.sharpen = setTimeout(() => this.redraw(), 250);
    });
  }

  // Rougher after two slow pictures, better after ten quick ones.
  adapt(took) {
    this.slow = took > SLOW ? this.slow + 1 : 0;
    this.quick = took < QUICK ? this.quick + 1 : 0;
    if (this.slow >= 2 && this.roughness < ROUGH.length - 1) { ++this.roughness; this.slow = 0; }
    if (this.quick >= 10 && this.roughness > 0) { --this.roughness; this.quick = 0; }
  }

  // The visible particle at a place of the canvas; -1 if there is none.
  at(x, y) {
    const {view, projection} = this.matrices, {arrays, count} = this.atoms, positions = arrays.positions;
    const canvas = byId("picture"), width = canvas.clientWidth, height = canvas.clientHeight, look = this.look();
    let found = -1, nearest = -Infinity;
    const n = this.order ? this.order.length : count;
    for (let i = 0; i < n; ++i) {
      const k = this.order ? this.order[i] : i, px = positions[3 * k], py = positions[3 * k + 1], pz = positions[3 * k + 2];
      const ez = view[2] * px + view[6] * py + view[10] * pz + view[14];
      if (ez <= nearest) continue;
      const w = projection[11] * ez + projection[15];
      const ex = (projection[0] * (view[0] * px + view[4] * py + view[8] * pz + view[12])) / w;
      const ey = (projection[5] * (view[1] * px + view[5] * py + view[9] * pz + view[13])) / w;
      const dx = ((ex + 1) / 2) * width - x, dy = ((1 - ey) / 2) * height - y;
      const reach = Math.max(3, (projection[5] * look.radius * height) / (2 * w));
      if (dx * dx + dy * dy <= reach * reach && w > 0) { nearest = ez; found = k; }
    }
    return found;
  }

  pick(x, y) {
    if (!this.matrices) return;
    const k = this.at(x, y), {identity, arrays, head} = this.atoms, lines = [];
    byId("picked").hidden = k < 0;
    this.picked = k;
    if (k < 0) return;
    if (identity.ids) lines.push(`id ${identity.ids[k]}`);
    if (identity.types) lines.push(`type ${this.atoms.speciesOf(identity.types[k]).name}`);
    lines.push([0, 1, 2].map((axis) => `${"xyz"[axis]} ${shortNumber(arrays.positions[3 * k + axis] + head.origin[axis])}`).join("  "));
    if (arrays.values) lines.push(`${head.column} ${shortNumber(arrays.values[k])}`);
    byId("picked").textContent = lines.join("\n");
  }

  // --- What stands next to the picture ---

  say(text) {
    byId("message").textContent = text;
    byId("message").hidden = !text;
  }

  note(text) {
    byId("note").textContent = text;
    byId("note").hidden = !text;
  }

  markFrame(k) {
    const {timesteps, times} = this.ofFrames, unit = this.index.units.time;
    byId("when").textContent = `timestep ${timesteps[k]}` + (Number.isFinite(times[k]) ? `, ${shortNumber(times[k])} ${unit}` : "");
    this.drawPlot();
  }

  drawPlot() {
    const series = byId("series").selectedIndex, n = this.index.observables.length;
    const values = series < n ? this.ofFrames[`observable ${series}`] : series === n ? this.ofFrames.sizes : this.ofFrames.counts;
    this.plot.show(values ?? [], this.failed ?? this.shown ?? 0);
  }

  facts({head, bytes}) {
    const rows = [...(head.index_in_file === head.index ? [] : [["frame of the file", head.index_in_file]]), ["timestep", head.timestep], ["particles", head.n_particles.toLocaleString("en")],
      ["bytes", `${head.size.toLocaleString("en")}${head.is_key ? " (key frame)" : ""}`],
      ["bits a particle", head.n_particles ? ((8 * head.size) / head.n_particles).toFixed(2) : "—"],
      ["error bound", head.bound === null ? "exact" : `${shortNumber(head.bound)} ${this.index.units.distance}`]];
    if (head.time !== null) rows.push(["time", `${shortNumber(head.time)} ${this.index.units.time}`]);
    if (head.matrix) rows.push(["box", head.matrix.map((edge) => shortNumber(Number(length(edge).toPrecision(5)))).join(" × ")]);
    this.index.observables.forEach(({name, unit}, k) => {
      const value = this.ofFrames[`observable ${k}`][this.shown];
      if (Number.isFinite(value)) rows.push([name, `${shortNumber(value)} ${unit}`]);
    });
    byId("facts").replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      for (const text of row) line.appendChild(document.createElement("td")).textContent = text;
      return line;
    }));
    byId("facts").title = `${bytes.toLocaleString("en")} bytes were sent for this frame`;
  }

  listTypes() {
    const there = this.atoms.typesThere();
    byId("types").replaceChildren(...there.map((type) => {
      const {name, colour} = this.atoms.speciesOf(type), label = document.createElement("label"), box = document.createElement("input"), dot = document.createElement("i");
      box.type = "checkbox";
      box.checked = !this.hidden.has(type);
      box.dataset.type = type;
      dot.style.background = `rgb(${colour})`;
      box.addEventListener("change", () => {
        if (box.checked) this.hidden.delete(type); else this.hidden.add(type);
        this.arrange();
      });
      label.append(box, dot, `type ${name}`);
      return label;
    }));
    byId("noTypes").hidden = there.length < 2;
    byId("ids").hidden = !this.atoms.head.has_ids;
  }

  listColumns(head) {
    const select = byId("column"), names = head.columns.filter((name) => name !== "type");
    const texts = ["", ...names];
    if ([...select.options].map(({value}) => value).join("\n") === texts.join("\n")) return;
    const chosen = select.value;
    select.replaceChildren(new Option("type", ""), ...names.map((name) => new Option(name, name)));
    select.value = names.includes(chosen) ? chosen : "";
  }

  showScale() {
    const isByValue = byId("column").value !== "" && this.atoms.arrays.values && this.atoms.range;
    byId("bar").hidden = byId("scale").hidden = !isByValue;
    if (!isByValue) return;
    const [low, high] = this.atoms.range, paper = byId("shades").getContext("2d");
    this.atoms.shades.forEach((colour, k) => { paper.fillStyle = `rgb(${colour})`; paper.fillRect(k, 0, 1, 1); });
    byId("low").textContent = shortNumber(low);
    byId("high").textContent = shortNumber(high);
    byId("from").value = Number(shortNumber(low));
    byId("to").value = Number(shortNumber(high));
  }

  showEverything() {
    this.hidden.clear();
    this.region = [[0, 1], [0, 1], [0, 1]];
    for (const [k, input] of document.querySelectorAll("#region input").entries()) input.value = k % 2;
    byId("idLow").value = byId("idHigh").value = "";
    this.listTypes();
    this.arrange();
    if (this.index.most_particles > this.index.limit) this.go(this.wanted);
  }

  stride() { return Math.max(1, Math.round(Number(byId("stride").value)) || 1); }

  async play(isOn) {
    if (isOn === this.isPlaying) return;
    this.isPlaying = isOn;
    byId("play").textContent = isOn ? "stop" : "play";
    while (this.isPlaying) {
      const step = this.stride(), next = this.wanted + step < this.index.n_frames ? this.wanted + step : 0;
      for (let k = 1; k <= AHEAD && next + k * step < this.index.n_frames; ++k) this.message(next + k * step).catch(() => {});
      await this.go(next);
      await new Promise(requestAnimationFrame);
      if (this.index.n_frames < 2) break;
    }
    this.isPlaying = false;
    byId("play").textContent = "play";
    this.redraw();
  }

  async reload() {
    try {
      const before = this.index.n_frames;
      await this.loadIndex();
      byId("reload").title = `${this.index.n_frames - before} new frames`;
      this.kept.clear();
      this.keptBytes = 0;
      this.bondsOf = null;
      if (this.index.n_frames) await this.go(this.wanted);
    } catch (error) {
      this.say(error.message);
    }
  }

  save() {
    this.renderer.draw(this.camera, this.atoms.head.origin, this.look());
    byId("picture").toBlob((picture) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(picture);
      link.download = `${this.index.name.replace(/\.gpz$/, "")}_${this.shown}.png`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }
}

Object.assign(Viewer.prototype, controls);

try {
  window.gpzView = new Viewer();
  window.gpzView.start().catch((error) => { window.gpzView.say(error.message); byId("loading").hidden = true; });
} catch (error) {
  byId("message").textContent = error.message;
  byId("message").hidden = false;
  byId("loading").hidden = true;
}
