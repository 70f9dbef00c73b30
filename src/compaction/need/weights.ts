/**
 * How much each feature says about whether a name will be used again; the order is that of `featureNames`.
 *
 * Fitted by logistic regression on 14 recorded sessions of two coding agents, cut at 319 places, with nothing kept of
 * the conversation and with a tail kept. Fit them again with `node scripts/fit-need.ts --write FOLDER`, which prints
 * how many needed names a checkpoint tells in sessions that were left out.
 */
export const weights: readonly number[] = [
  0.059, // bias
  0.63, // uses in calls, older ones less
  0.231, // sightings, older ones less
  -0.373, // among the newest in calls
  1.184, // among the newer in calls
  0.4, // said by the agent
  -0.449, // said by the user
  -1.86, // named in a call
  -1.453, // only in results
  -0.29, // uses of its file
  -0.508, // a bare word with a dot
  -0.754, // may be an ordinary word
];
