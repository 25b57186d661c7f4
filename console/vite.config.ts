import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The control plane that the development server passes calls on to. */
const controlPlane = `http://127.0.0.1:${process.env.PORT ?? "8080"}`;

/** Every file of styles says the order of the layers, since the browser takes it from whichever it reads first. */
const layerOrder: Plugin = {
  name: "layer-order",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === "asset" && file.fileName.endsWith(".css")) {
        file.source = `@layer tokens,base,part,page;${file.source}`;
      }
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), layerOrder],
  build: {
    target: ["chrome123", "firefox120", "safari17.5"],
    // Code and styles are files of their own: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // For the bill of materials; it is not served.
    license: { fileName: "licences.json" },
    reportCompressedSize: false,
  },
  server: {
    port: 5173,
    proxy: { "^/(policyguard\\.|v1/)": { target: controlPlane, changeOrigin: false } },
  },
});
