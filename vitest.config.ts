import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/harness/global-setup.ts"],
    reporters: ["default", "./test/harness/reporter.ts"],
    pool: "forks",
    // Node loads the files itself, as in production: it strips their types and keeps what it compiled.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // One more than the two cores that the suite is made for, since tests wait for processes, sockets and disks.
    maxWorkers: 3,
    // Files share a process, and with it the modules that it has loaded: loading them took a third of all time.
    isolate: false,
    // For what hangs: a machine that others use as well makes a test slow, and not wrong.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
