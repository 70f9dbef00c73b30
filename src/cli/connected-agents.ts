import { planInit } from "../hosts/install/init.ts";
import { findPlaces } from "../hosts/install/places.ts";
import { isChange } from "../hosts/install/write-changes.ts";

/** A coding agent found here, and how many files init would change to connect it. */
export interface FoundAgent {
  title: string;
  changes: number;
}

/** The coding agents found in a project. They are connected if init has nothing to change. */
export async function connectedAgents(root: string): Promise<FoundAgent[]> {
  const places = findPlaces("project", root);
  const plan = await planInit([], places);
  return Promise.all(
    plan.hosts.map(async ({ name, title, setup }) => {
      const isPlugin = (await setup()).findPlugin?.(places) !== undefined;
      const changes = plan.files.filter((file) => file.host === name && isChange(file)).length;
      return { title, changes: isPlugin ? 0 : changes };
    }),
  );
}
