// SPDX-License-Identifier: BSD-3-Clause
// What the controls of the page call: methods of the viewer.

const controls = {
  connect() {
    const on = (id, event, act) => byId(id).addEventListener(event, act);
    for (const id of ["size", "box", "flat"]) on(id, "input", () => this.redraw());
    on("style", "input", () => this.arrange());
    on("dark", "input", () => { document.documentElement.classList.toggle("dark", byId("dark").checked); this.redraw(); this.drawPlot(); });
    on("wrap", "input", () => { this.atoms.wrap(byId("wrap").checked); this.arrange(); });
    on("column", "input", () => { this.atoms.range = null; this.go(this.wanted); });
    for (const id of ["from", "to"]) on(id, "change", () => {
      const range = [Number(byId("from").value), Number(byId("to").value)];
      if (range[0] < range[1]) { this.atoms.range = range; this.arrange(); }
    });
    for (const id of ["idLow", "idHigh"]) on(id, "input", () => this.arrange());
    on("series", "input", () => this.drawPlot());
    on("slider", "input", () => this.go(Number(byId("slider").value)));
    on("number", "change", () => this.go(Math.round(Number(byId("number").value)) || 0));
    on("back", "click", () => this.go(this.wanted - this.stride()));
    on("next", "click", () => this.go(this.wanted + this.stride()));
    on("play", "click", () => this.play(!this.isPlaying));
    on("fit", "click", () => this.fit());
    on("save", "click", () => this.save());
    on("reload", "click", () => this.reload());
    on("noTypes", "click", () => { this.hidden = new Set(this.atoms.typesThere()); this.listTypes(); this.arrange(); });
    on("everything", "click", () => this.showEverything());
    for (const button of document.querySelectorAll("[data-look]"))
      button.addEventListener("click", () => { this.camera.look(button.dataset.look); this.redraw(); });
    for (const [axis, name] of ["x", "y", "z"].entries()) this.connectRegion(axis, name);
    this.connectPointer();
    window.addEventListener("resize", () => { this.redraw(); if (this.index) this.drawPlot(); });
    document.addEventListener("keydown", (event) => this.onKey(event));
    byId("picture").addEventListener("webglcontextlost", () => this.say("the browser has lost the picture: load the page again"));
  },

  connectRegion(axis, name) {
    const label = document.createElement("label"), text = document.createElement("span");
    text.textContent = name;
    label.append(text);
    const inputs = [0, 1].map((end) => {
      const input = document.createElement("input");
      Object.assign(input, {type: "range", min: 0, max: 1, step: 0.01, value: end, id: `${name}${end ? "High" : "Low"}`, title: `${end ? "highest" : "lowest"} ${name}, as a part of the box`});
      input.addEventListener("input", () => {
        const [low, high] = inputs.map(({value}) => Number(value));
        if (low > high) { input.value = end ? low : high; return; }
        this.region[axis] = [low, high];
        this.arrange();
      });
      // If the frame is a sample, the server has more particles of this region.
      input.addEventListener("change", () => { if (this.index.most_particles > this.index.limit) this.go(this.wanted); });
      label.append(input);
      return input;
    });
    byId("region").append(label);
  },

  connectPointer() {
    const canvas = byId("picture");
    let moved = 0, last = null;
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); last = event; moved = 0; });
    canvas.addEventListener("pointermove", (event) => {
      if (!last || !event.buttons) return;
      const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY, side = Math.min(canvas.clientWidth, canvas.clientHeight) || 1;
      moved += Math.abs(dx) + Math.abs(dy);
      last = event;
      if (event.shiftKey || event.buttons & 6) this.camera.move(dx / side, dy / side);
      else this.camera.rotate((dx / side) * 4, (dy / side) * 4);
      this.redraw(true);
    });
    canvas.addEventListener("pointerup", (event) => {
      last = null;
      const box = canvas.getBoundingClientRect();
      if (moved < 4) this.pick(event.clientX - box.left, event.clientY - box.top);
      else this.redraw();
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.camera.zoom(1.0015 ** event.deltaY);
      this.redraw(true);
    }, {passive: false});
  },

  onKey(event) {
    if (!this.index || event.target.matches("input:not([type=range]):not([type=checkbox]), select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {" ": () => this.play(!this.isPlaying), ArrowLeft: () => this.go(this.wanted - this.stride()),
      ArrowRight: () => this.go(this.wanted + this.stride()), Home: () => this.go(0), End: () => this.go(this.index.n_frames - 1)};
    if (event.key === " " && event.target.matches("button, summary, input")) return;
    if (event.target.matches("#region input, #size")) return;
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  },
};
