/**
 * How much each feature says about whether a name will be used again; the order is that of `featureNames`.
 *
 * Fitted by logistic regression on 14 recorded sessions of two coding agents, cut at 319 places, with nothing kept of
 * the conversation and with a tail kept. Fit them again with `node scripts/fit-need.ts --write FOLDER`, which prints
 * how many needed names a checkpoint tells in sessions that were left out.
 */
export const weights: readonly number[] = [
  0.138, // bias
  0.646, // uses in calls, older ones less
  0.222, // sightings, older ones less
  -0.459, // among the newest in calls
  1.17, // among the newer in calls
  0.366, // said by the agent
  -0.515, // said by the user
  -1.881, // named in a call
  -1.481, // only in results
  -0.29, // uses of its file
  -0.515, // a bare word with a dot
];
