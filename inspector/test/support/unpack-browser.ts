import chromium from "@sparticuz/chromium";

// Runs in a separate process, because TMPDIR decides where the browser is unpacked.
await chromium.executablePath();
