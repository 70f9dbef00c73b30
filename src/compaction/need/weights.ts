/**
 * How much each feature says about whether a name will be used again; the order is that of `featureNames`.
 *
 * Fitted by logistic regression on 14 recorded sessions of two coding agents, cut at 319 places, with nothing kept of
 * the conversation and with a tail kept. Fit them again with `node scripts/fit-need.ts --write FOLDER`, which prints
 * how many needed names a checkpoint tells in sessions that were left out.
 */
export const weights: readonly number[] = [
  -1.914, // bias
  -0.017, // recent calls
  0.487, // lasting calls
  0.285, // as a target
  -0.207, // in written texts
  0.494, // said by the agent
  -0.612, // said by the user
  -0.393, // in results
  -0.285, // calls since it was seen
  0.334, // named in a call
  -1.527, // only in results
  0.255, // calls with the same base name
  0.178, // calls between first and last
  -0.111, // rank by last call
  0.31, // only in new results
  0.226, // calls with its file
  -0.563, // said just now
  -0.144, // kind: path
  0.077, // kind: pair
  -0.62, // kind: file
  0.277, // kind: url
  -0.106, // kind: symbol
  -0.526, // kind: dotted
  0.314, // kind: flag
  -0.568, // kind: hash
  -0.414, // kind: version
  -0.147, // kind: number
  0.198, // kind: code
  0.152, // kind: kebab
  -0.407, // kind: mixed
];
