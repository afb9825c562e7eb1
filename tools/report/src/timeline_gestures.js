// Wheel, drag, pinch and keys of a timeline: zoom(factor, x), pan(pixels), whole(), hover(x, y, event), leave().

const kKeys = {
  ArrowLeft: (to) => to.pan(-60),
  ArrowRight: (to) => to.pan(60),
  '+': (to) => to.zoom(1.5),
  '=': (to) => to.zoom(1.5),
  '-': (to) => to.zoom(1 / 1.5),
  0: (to) => to.whole(),
  Home: (to) => to.whole(),
};

function addWheel(canvas, to) {
  canvas.addEventListener(
    'wheel',
    (event) => {
      const sideways = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX;
      // A plain wheel scrolls the page.
      if (!event.ctrlKey && !event.metaKey && !sideways) return;
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) to.zoom(Math.exp(-event.deltaY / 200), event.offsetX);
      else to.pan(sideways);
    },
    { passive: false },
  );
}

function addPointers(canvas, to) {
  const down = new Map();
  const release = (event) => {
    down.delete(event.pointerId);
    canvas.classList.toggle('dragged', down.size > 0);
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, event.offsetX);
    canvas.classList.add('dragged');
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!down.has(event.pointerId)) return to.hover(event.offsetX, event.offsetY, event);
    to.leave();
    return move(event);
  });
  function move(event) {
    const before = down.get(event.pointerId);
    const other = [...down].find(([pointer]) => pointer !== event.pointerId)?.[1];
    down.set(event.pointerId, event.offsetX);
    if (other === undefined) to.pan(before - event.offsetX);
    else to.zoom(Math.abs(event.offsetX - other) / Math.max(8, Math.abs(before - other)), other);
  }
  canvas.addEventListener('pointerup', (event) => {
    release(event);
    to.hover(event.offsetX, event.offsetY, event);
  });
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => to.leave());
  canvas.addEventListener('dblclick', (event) => to.zoom(2, event.offsetX));
}

export function addGestures(canvas, to) {
  addWheel(canvas, to);
  addPointers(canvas, to);
  canvas.addEventListener('keydown', (event) => {
    const act = kKeys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(to);
  });
}
