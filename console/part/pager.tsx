import { en } from "../text/en.ts";
import { Button } from "./button.tsx";
import style from "./pager.module.css";

/** Leads through a list that the server gives in pages; absent while one page has everything. */
export function Pager({
  offset,
  size,
  total,
  onMove,
}: {
  readonly offset: number;
  readonly size: number;
  readonly total: number;
  readonly onMove: (offset: number) => void;
}) {
  if (offset === 0 && total <= size) return null;
  return (
    <nav className={style.pager} aria-label={en.common.pages}>
      <span>{en.common.shown(offset + 1, Math.min(offset + size, total), total)}</span>
      <Button onClick={() => onMove(Math.max(0, offset - size))} {...(offset === 0 ? { why: en.common.first } : {})}>
        {en.common.back}
      </Button>
      <Button onClick={() => onMove(offset + size)} {...(offset + size >= total ? { why: en.common.last } : {})}>
        {en.common.more}
      </Button>
    </nav>
  );
}
