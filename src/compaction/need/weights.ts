/**
 * How much each feature says about whether a name will be used again; the order is that of `featureNames`.
 *
 * Fitted by logistic regression on 14 recorded sessions of two coding agents, cut at 319 places, with nothing kept of
 * the conversation and with a tail kept. Fit them again with `node scripts/fit-need.ts --write FOLDER`, which prints
 * how many needed names a checkpoint tells in sessions that were left out.
 */
export const weights: readonly number[] = [
  -2.048, // bias
  -0.124, // recent calls
  0.68, // lasting calls
  0.261, // as a target
  -0.282, // in written texts
  0.549, // said by the agent
  -0.619, // said by the user
  -0.443, // in results
  -0.228, // calls since it was seen
  0.562, // named in a call
  -1.373, // only in results
  0.202, // calls with the same base name
  0.206, // calls between first and last
  -0.202, // rank by last call
  0.34, // only in new results
  0.228, // calls with its file
  -0.57, // said just now
  -0.179, // kind: path
  0.232, // kind: pair
  -0.631, // kind: file
  0.083, // kind: url
  -0.015, // kind: symbol
  -0.569, // kind: dotted
  0.317, // kind: flag
  -0.606, // kind: hash
  -0.43, // kind: version
  -0.174, // kind: number
  0.114, // kind: code
  0.204, // kind: kebab
  -0.393, // kind: mixed
];
