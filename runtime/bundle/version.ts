/** Version of this runtime. A bundle names the oldest version that can run it, as `min_runtime`. */
export const runtimeVersion = "1.3.0";
