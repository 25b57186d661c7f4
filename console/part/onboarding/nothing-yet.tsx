import type { ReactNode } from "react";
import { en } from "../../text/en.ts";
import { reading } from "../../text/reading.ts";
import { Empty } from "../state.tsx";
import style from "./nothing-yet.module.css";

const texts = en.reading;

/** The organization has none of these yet: what one is, the way to the first one, and where more is written about it. */
export function NothingYet({
  of,
  title,
  text,
  children,
}: {
  readonly of: keyof typeof reading;
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}) {
  const { operation, guide } = reading[of];
  return (
    <Empty title={title} text={text}>
      {children}
      <p className={style.reading}>
        <a href={`/docs#${operation}`}>{texts.reference(operation)}</a>
        <span>
          {texts.guide} <code>{`docs/${guide}`}</code>
        </span>
      </p>
    </Empty>
  );
}
