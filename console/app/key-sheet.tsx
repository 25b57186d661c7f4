import { Fragment } from "react";
import { Button } from "../part/button.tsx";
import { Dialog, DialogActions } from "../part/dialog.tsx";
import { areSingleKeysOn } from "../part/keys.ts";
import { en } from "../text/en.ts";
import { keyGroups } from "./keys.ts";
import style from "./palette.module.css";

const texts = en.keys;

/** All keys, with what they do. */
export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={texts.title} isWide onClose={onClose}>
      {!areSingleKeysOn() && <p>{texts.off}</p>}
      <div className={style.keys}>
        {keyGroups.map(({ title, entries }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {entries.map(({ keys, does }) => (
                <div key={does}>
                  <dt>
                    {keys.map((key, at) => (
                      <Fragment key={key}>
                        {at > 0 && ` ${texts.followedBy} `}
                        <kbd>{key}</kbd>
                      </Fragment>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{en.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}
