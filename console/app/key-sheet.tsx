import { Fragment } from "react";
import { Button } from "../part/button.tsx";
import { Dialog, DialogActions } from "../part/dialog.tsx";
import { type Command, commands, keyGroups, shortcuts, shownKeys } from "../part/keys/shortcuts.ts";
import { areSingleKeysOn } from "../part/keys/use-keys.ts";
import { en } from "../text/en.ts";
import style from "./palette.module.css";

const texts = en.keys;

/** All keys, with what they do. */
export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={texts.title} isWide onClose={onClose}>
      {!areSingleKeysOn() && <p>{texts.off}</p>}
      <div className={style.keys}>
        {Object.entries(keyGroups).map(([group, title]) => (
          <section key={group} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {commands
                .filter((command) => shortcuts[command].group === group)
                .map((command) => (
                  <div key={command}>
                    <dt>
                      <Keys command={command} />
                    </dt>
                    <dd>{shortcuts[command].does}</dd>
                  </div>
                ))}
            </dl>
            {group === "editor" && <p>{texts.leave}</p>}
          </section>
        ))}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{en.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

/** "j or ↓", "g then p". */
function Keys({ command }: { readonly command: Command }) {
  return shownKeys(command).map((keys, way) => (
    <Fragment key={keys.join(" ")}>
      {way > 0 && ` ${texts.or} `}
      {keys.map((key, at) => (
        <Fragment key={key}>
          {at > 0 && ` ${texts.followedBy} `}
          <kbd>{key}</kbd>
        </Fragment>
      ))}
    </Fragment>
  ));
}
