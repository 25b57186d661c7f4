import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { useOrganization } from "../../data/organization.ts";
import { Button } from "../../part/button.tsx";
import { useGoOn } from "../../part/shown.ts";
import { en } from "../../text/en.ts";
import { handOver, maxDocumentKib, namedAfter, textIn } from "./file.ts";

const texts = en.policies;

/** Opens a file in the workbench of a new policy, or says why it can be none. */
export function usePolicyFile(): {
  readonly open: (file: File | undefined) => void;
  readonly fault: string | undefined;
} {
  const { orgId } = useOrganization();
  const navigate = useGoOn();
  const [fault, setFault] = useState<string>();
  const newest = useRef<File>(undefined);
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    newest.current = file;
    setFault(undefined);
    if (file.size > maxDocumentKib * 1_024) {
      setFault(texts.tooLarge(file.name, maxDocumentKib));
      return;
    }
    // A file that is gone meanwhile, or may not be read, has no text either.
    const text = await file.arrayBuffer().then(textIn, () => undefined);
    if (newest.current !== file) return;
    if (text === undefined) {
      setFault(texts.noText(file.name));
      return;
    }
    handOver({ name: file.name, text: namedAfter(file.name, text) });
    await navigate({ to: "/o/$org/policies/new", params: { org: orgId } });
  };
  return { open, fault };
}

/** Asks for a file. */
export function OpenFile({ onOpen }: { readonly onOpen: (file: File | undefined) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button title={texts.openHint(maxDocumentKib)} onClick={() => field.current?.click()}>
        {texts.open}
      </Button>
      <input
        ref={field}
        type="file"
        hidden
        accept=".yaml,.yml,.json"
        aria-label={texts.open}
        onChange={({ target }) => {
          onOpen(target.files?.[0]);
          // The same file, mended, is another choice.
          target.value = "";
        }}
      />
    </>
  );
}

/** Takes a file that is dropped on what is in it; without `onOpen` nothing happens to the page but that it stays. */
export function FileTarget({
  onOpen,
  children,
}: {
  readonly onOpen: ((file: File | undefined) => void) | undefined;
  readonly children: ReactNode;
}) {
  const drop = (event: DragEvent) => {
    event.preventDefault();
    onOpen?.(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button of the page does the same by keys
    <div onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      {children}
    </div>
  );
}
