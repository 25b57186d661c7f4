// Identifiers of the detectors and packs that ship with the product. In the catalogs each has a UUID of version 4, like
// every other resource; policies use the name, which the engine calls the id. An id is never changed and never reused.

const detectorIds: Readonly<Record<string, string>> = {
  backend: "12057cfc-201b-4f8b-bf02-938f4504882f",
  canary: "a97beb0f-991a-4440-92f0-ceef46ffe4f4",
  code: "49ccec77-4ad0-4fae-abdd-c5202a6d7fe5",
  content_safety: "20eca8e2-3e33-48e7-8a4e-df2f384a0502",
  encoding: "e1ab846c-9f0a-4f7c-8c4d-a1d0780a6814",
  gibberish: "553db6ad-dcb2-46b9-8ff2-d6fa756dd681",
  injection: "ccb78044-dd24-4634-b532-1e3f027218f5",
  keywords: "4a7ab038-d958-46f1-a96f-d05c508c5e83",
  language: "e1f7af0f-934a-490b-a4be-cd11833d7c8b",
  length: "80625741-1de7-46ad-a53f-19b3034ad63f",
  pii: "00210615-9af6-46d4-b2f8-b90ae95ec162",
  profanity: "147f8384-35d2-4a37-9a4b-58819f492806",
  regex: "affa89d4-7995-4b75-8376-aaa93b586f3c",
  repetition: "f8322ec4-757b-49cc-9d08-bfbd5965b9d8",
  secrets: "b652a2db-025a-4a70-8bcd-9186ede2e56f",
  self_harm: "c8c1a711-91a2-41ed-afb8-dd072582559b",
  topics: "265891ce-00ba-4205-ad56-3de73b151785",
  toxicity: "76535ee8-aacb-400a-b13c-b59eaf0c2d78",
  unicode: "6bc49951-b006-411e-9466-5f11f596097a",
  url: "78f0990c-202f-45cb-bab3-5e6f91a381f9",
};

const packIds: Readonly<Record<string, string>> = {
  "children-safety": "fbbc7702-5c17-41b7-9b8a-a9c6733020f7",
  "coding-agent": "a20adfba-354c-41f5-b6fa-da42e0350d28",
  healthcare: "62a03455-ac58-4813-be73-a30d5c430dbd",
  "payment-cards": "7b85e521-1e6b-4d0a-9c68-75b3b59f12d0",
  "pii-apac": "2685d076-be0b-4257-abf8-4c1db638b3d0",
  "pii-eu": "f3d68d70-c770-43a5-b394-892bd6b4f865",
  "pii-latam": "c4706b3b-bf58-43fa-a014-70131600cc38",
  "pii-us": "664dcdd3-5cde-4db9-a9eb-404b0fe2f9f1",
  "prompt-injection": "321a5ca0-db9a-475f-a055-d8462893a8e9",
  rag: "957bf825-b6bf-45f9-a037-316d213df91a",
  secrets: "d9379e4b-9493-4cdd-b4f9-e69e3b1b1ed3",
  "support-bot": "2c52955e-be77-43e3-a07b-d786160d1e08",
  "tool-agent": "ee3774e9-7594-46d1-8728-2c560e086189",
};

/** The names of a catalog and their ids. */
export interface CatalogIds {
  /** The id of a name. Throws for a name without an id: every entry of a catalog must have one. */
  idOf(name: string): string;
  /** The name for a name or an id; anything else is returned unchanged. */
  nameOf(given: string): string;
  readonly all: Readonly<Record<string, string>>;
}

/** Ids of the detector catalog. */
export const detectorCatalogIds: CatalogIds = createIds(detectorIds);

/** Ids of the guard packs. */
export const packCatalogIds: CatalogIds = createIds(packIds);

function createIds(all: Readonly<Record<string, string>>): CatalogIds {
  const ids = new Map(Object.entries(all));
  const names = new Map(Object.entries(all).map(([name, id]) => [id, name]));
  return {
    all,
    idOf(name) {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`"${name}" has no id; give it one in catalog-id.ts`);
      return id;
    },
    nameOf: (given) => names.get(given.toLowerCase()) ?? given,
  };
}
