// Generated parts of the documentation: text between a marker that names a block and the marker that ends it.

import { callOrder } from "./call-order.ts";
import { detectorTable } from "./detectors.ts";
import { errorTable } from "./errors.ts";
import { callLimitTable, connectionLimitTable } from "./limits.ts";
import { permissionTables } from "./permissions.ts";
import { presetLabels, presetTable } from "./presets.ts";
import { problemTable } from "./problems.ts";
import { databaseSql, rolesSql } from "./roles.ts";
import { controlPlaneRooms, engineRoomPicture, layerPicture } from "./rooms.ts";
import { controlPlaneVariables, runtimeVariables, startVariables, workerVariables } from "./variables.ts";

/** Makes the text of a block. */
type Block = () => string;

const blocks: Readonly<Record<string, Readonly<Record<string, Block>>>> = {
  "docs/api.md": {
    "order of checks": callOrder,
    "limits of calls": callLimitTable,
    "limits of connections": connectionLimitTable,
  },
  "docs/architecture.md": {
    layers: layerPicture,
    "rooms of the control plane": controlPlaneRooms,
    "rooms of the engine": engineRoomPicture,
  },
  "docs/errors.md": { errors: errorTable },
  "docs/operations.md": {
    "variables of npm start": startVariables,
    "variables of the control plane": controlPlaneVariables,
    "variables of the worker": workerVariables,
    "variables of the runtime": runtimeVariables,
    roles: rolesSql,
    database: databaseSql,
  },
  "docs/permissions.md": { permissions: permissionTables },
  "docs/presets.md": { presets: presetTable, "labels of presets": presetLabels },
  "docs/policy-language.md": { detectors: detectorTable, "codes of problems": problemTable },
};

/** Documents that have generated parts, relative to the repository. */
export const generatedDocuments: readonly string[] = Object.keys(blocks);

const marker = /<!-- generated: ([a-z ]+) -->\n[\s\S]*?<!-- end of generated -->/g;

/** The document with its generated blocks renewed. Throws when a block is missing or unknown. */
export function withBlocks(document: string, text: string): string {
  const own = blocks[document] ?? {};
  const seen = new Set<string>();
  const current = text.replace(marker, (_, name: string) => {
    const block = own[name];
    if (block === undefined) throw new Error(`${document}: there is no block "${name}"`);
    seen.add(name);
    return `<!-- generated: ${name} -->\n\n${block()}\n\n<!-- end of generated -->`;
  });
  const missing = Object.keys(own).filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`${document} has no place for: ${missing.join(", ")}`);
  return current;
}
