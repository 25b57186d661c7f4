// A press counts where it began. What loads may push a button from under the pointer between press and release, and
// browsers then click neither the button nor what came to its place.

/** Pixels beyond which the pointer was moved on purpose, which takes the press back. */
const slack = 8;

/** Clicks what was pressed when it has moved away before the release. */
export function keepPresses(): void {
  let pressed: { readonly element: HTMLElement; readonly x: number; readonly y: number } | undefined;
  document.addEventListener("pointerdown", ({ target, isPrimary, button, clientX: x, clientY: y }) => {
    const element = target instanceof Element ? target.closest<HTMLElement>("button, a") : null;
    pressed = element === null || !isPrimary || button !== 0 ? undefined : { element, x, y };
  });
  document.addEventListener("pointerup", (event) => {
    const { element, x, y } = pressed ?? {};
    pressed = undefined;
    if (element === undefined || x === undefined || y === undefined) return;
    const wasMoved = Math.hypot(event.clientX - x, event.clientY - y) > slack;
    if (!wasMoved && !event.composedPath().includes(element)) element.click();
  });
}
