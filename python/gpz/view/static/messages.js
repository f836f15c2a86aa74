// SPDX-License-Identifier: BSD-3-Clause
// Messages of gpz/view/messages.py, and where they come from: a server, or the page itself.

const arrayTypes = {uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, float32: Float32Array, float64: Float64Array};

function unpack(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
  const arrays = {};
  for (const [name, [type, offset, count]] of Object.entries(head.arrays))
    arrays[name] = new arrayTypes[type](buffer, 8 + size + offset, count);
  if (arrays.packed) arrays.positions = unpacked(arrays.packed, head.low, head.step);
  return {head, arrays, bytes: buffer.byteLength};
}

// Positions of a page without a server are multiples of a step for each axis.
function unpacked(packed, low, step) {
  const made = new Float32Array(packed.length);
  for (let k = 0; k < packed.length; k += 3)
    for (let axis = 0; axis < 3; ++axis) made[k + axis] = low[axis] + packed[k + axis] * step[axis];
  return made;
}

class ServerSource {
  constructor() { this.canGrow = true; }
  async get(name, signal) {
    let answer;
    try {
      answer = await fetch(name, {signal, cache: "no-store"});
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("the server does not answer: gpz view has ended, or the connection is lost");
    }
    if (!answer.ok) {
      const text = await answer.text();
      let cause = text;
      try { cause = JSON.parse(text).error; } catch { /* no JSON */ }
      throw new Error(cause);
    }
    return unpack(await answer.arrayBuffer());
  }
  index() { return this.get("index"); }
  bonds(k) { return this.get(`bonds/${k}`); }
  frame(k, {column, region, known}, signal) {
    const query = new URLSearchParams();
    if (column) query.set("column", column);
    if (region) query.set("region", region.join(","));
    if (known) query.set("known", known);
    return this.get(`frame/${k}?${query}`, signal);
  }
}

class PageSource {
  constructor() { this.canGrow = false; }
  static isThere() { return document.querySelector("script[data-name]") !== null; }
  async get(name) {
    const element = document.querySelector(`script[data-name="${name}"]`);
    if (!element) throw new Error(`the page has no ${name}`);
    const text = atob(element.textContent), bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; ++k) bytes[k] = text.charCodeAt(k);
    const message = unpack(bytes.buffer);
    if (message.head.error) throw new Error(message.head.error);
    return message;
  }
  index() { return this.get("index"); }
  bonds(k) { return this.get(`bonds/${k}`); }
  identity(name) { return this.get(`identity/${name}`); }
  frame(k) { return this.get(`frame/${k}`); }
}
