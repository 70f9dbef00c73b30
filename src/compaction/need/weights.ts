/**
 * How much each feature says about whether a name will be used again; the order is that of `featureNames`.
 *
 * Fitted by logistic regression on 14 recorded sessions of two coding agents, cut at 319 places, with nothing kept of
 * the conversation and with a tail kept. Fit them again with `node scripts/fit-need.ts --write FOLDER`, which prints
 * how many needed names a checkpoint tells in sessions that were left out.
 */
export const weights: readonly number[] = [
  0.093, // bias
  0.672, // uses in calls, older ones less
  0.167, // sightings, older ones less
  -0.4, // among the newest in calls
  1.111, // among the newer in calls
  0.465, // said by the agent
  -0.479, // said by the user
  -1.817, // named in a call
  -1.568, // only in results
  0.798, // only in new results
  -0.134, // said just now
  -0.255, // uses of its file
  -0.602, // a bare word with a dot
];
