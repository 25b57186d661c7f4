// `npm run pack-packages [-- <folder>]`: writes `@policyguard/client` and `@policyguard/cli` as tarballs, to be
// installed by their files.

import { resolve } from "node:path";
import { packageNames, packTarball } from "./pack/tarball.ts";

const [name = "build/packages", ...others] = process.argv.slice(2);
try {
  if (name.startsWith("-") || others.length > 0) throw new Error("the only argument is the folder to write");
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  for (const { file, bytes, tarballBytes } of await Promise.all(
    packageNames.map((each) => packTarball(each, resolve(name))),
  )) {
    console.log(
      `${file}: ${mebibytes(tarballBytes)}, ${mebibytes(bytes)} unpacked; install it with npm install ${file}`,
    );
  }
} catch (error) {
  console.error(`the packages are not packed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
