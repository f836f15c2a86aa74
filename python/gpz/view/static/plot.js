// SPDX-License-Identifier: BSD-3-Clause
// A curve over the frames, with the frame that is shown marked.

const shortNumber = (value) => (value === null || !Number.isFinite(value) ? "—" : String(Number(value.toPrecision(6))));

class Plot {
  constructor(canvas, onFrame) {
    this.canvas = canvas;
    this.values = [];
    const go = (event) => {
      const box = canvas.getBoundingClientRect(), n = this.values.length;
      if (n) onFrame(Math.min(n - 1, Math.max(0, Math.round(((event.clientX - box.left - 4) / (box.width - 8)) * (n - 1)))));
    };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); go(event); });
    canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
  }

  show(values, frame) {
    this.values = values;
    const ratio = window.devicePixelRatio || 1, {clientWidth: width, clientHeight: height} = this.canvas;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const paper = this.canvas.getContext("2d"), style = getComputedStyle(this.canvas);
    paper.scale(ratio, ratio);
    paper.font = "11px sans-serif";
    const n = values.length;
    let low = Infinity, high = -Infinity;
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    paper.fillStyle = style.color;
    if (low > high) { paper.fillText("no values", 6, 14); return; }
    const top = 16, bottom = height - 16, span = high - low || 1;
    const x = (k) => 4 + (n > 1 ? k / (n - 1) : 0.5) * (width - 8);
    const y = (value) => (high === low ? (top + bottom) / 2 : bottom - ((value - low) / span) * (bottom - top));
    paper.strokeStyle = "#2277cc";
    paper.fillStyle = "#2277cc";
    paper.beginPath();
    // For many frames, the first, lowest and highest value of each pixel column.
    const columns = Math.max(1, Math.floor(width - 8));
    if (n > 4 * columns) {
      for (let column = 0; column < columns; ++column) {
        let least = Infinity, most = -Infinity;
        for (let k = Math.floor((column * n) / columns); k < Math.floor(((column + 1) * n) / columns); ++k)
          if (Number.isFinite(values[k])) { least = Math.min(least, values[k]); most = Math.max(most, values[k]); }
        if (least <= most) { paper.moveTo(column + 4.5, y(least) + 0.5); paper.lineTo(column + 4.5, y(most) - 0.5); }
      }
    } else {
      let isDown = false;
      for (let k = 0; k < n; ++k) {
        if (!Number.isFinite(values[k])) { isDown = false; continue; }
        if (isDown) paper.lineTo(x(k), y(values[k]));
        else paper.moveTo(x(k), y(values[k]));
        isDown = true;
        if (n <= 60) paper.fillRect(x(k) - 1.5, y(values[k]) - 1.5, 3, 3);
      }
    }
    paper.stroke();
    paper.strokeStyle = "#dd4422";
    paper.beginPath();
    paper.moveTo(x(frame), top - 4);
    paper.lineTo(x(frame), bottom + 4);
    paper.stroke();
    paper.fillStyle = style.color;
    paper.fillText(shortNumber(high), 4, 11);
    paper.fillText(shortNumber(low), 4, height - 4);
    const mark = shortNumber(values[frame]);
    paper.fillStyle = "#dd4422";
    paper.fillText(mark, width - 4 - paper.measureText(mark).width, 11);
  }
}
