import { standingTexts } from "../../runtime/engine/backend/preset.ts";
import { presets } from "../../runtime/engine/backend/preset-catalog.ts";
import { code, table } from "./table.ts";

/** The presets: for which models they are, and what their labels mean. */
export function presetTable(): string {
  const rows = presets.map(({ name, models, shapes, licence, standing, source }) => [
    code(name),
    models.join(", "),
    shapes.map(code).join(", "),
    `${licence} ([card](${source}))`,
    standingTexts[standing],
  ]);
  return table(["preset", "models", "shapes", "licence of the weights", "standing"], rows);
}

/** What each label of each preset means. */
export function presetLabels(): string {
  const rows = presets.map(({ name, labels, ignore }) => [
    code(name),
    Object.entries(labels)
      .map(([label, category]) => `${code(label)}: ${category}`)
      .join(", "),
    ignore.length === 0 ? "none" : ignore.map(code).join(", "),
  ]);
  return table(["preset", "labels and their categories", "no findings"], rows);
}
