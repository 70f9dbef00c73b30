import chromium from "@sparticuz/chromium";

// Run as a process of its own, whose directory for temporary files is where the browser should go.
await chromium.executablePath();
