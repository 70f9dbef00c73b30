/** A screen redraws often enough at this pace, in milliseconds. */
const pace = 100;
/** A wait that is shorter than this shows nothing. */
const delay = 300;
const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];

/** Shows on a terminal that something is under way, and for how many seconds. Returns the function that stops it. */
export function startSpinner(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
  clock: () => number = Date.now,
): () => void {
  if (!stream.isTTY) return () => {};
  const started = clock();
  let frame = 0;
  let isShown = false;
  const timer = setInterval(() => {
    const waited = clock() - started;
    if (waited < delay) return;
    isShown = true;
    stream.write(`\r\x1b[2K${frames[frame++ % frames.length]} ${label}, ${Math.floor(waited / 1_000)} s`);
  }, pace);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (isShown) stream.write("\r\x1b[2K");
    isShown = false;
  };
}
