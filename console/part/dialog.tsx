import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import style from "./dialog.module.css";
import { isPressed } from "./keys/shortcuts.ts";

/**
 * A dialog in front of the page. The browser keeps the focus inside, and Escape closes it unless `isFirm`. Its lower
 * edge stays where it was when it opened: what loads makes it grow upwards, and no button moves under the pointer.
 */
export function Dialog({
  title,
  onClose,
  isFirm = false,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly isFirm?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it leaves the page: only then does the browser give the focus back to what had it.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    element.showModal();
    const below = (innerHeight - element.getBoundingClientRect().bottom) / innerHeight;
    element.style.setProperty("--below", `${Math.max(0, below * 100)}dvh`);
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`${style.dialog} ${isWide ? style.wide : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      // Browsers let nobody cancel a second Escape in a row: the key itself is taken, and what is closed all the same,
      // such as by the gesture of a phone, comes back.
      onKeyDown={(event) => {
        if (isFirm && isPressed("close", event)) event.preventDefault();
      }}
      onClose={() => {
        if (isFirm) dialog.current?.showModal();
        else onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={style.actions}>{children}</div>;
}
