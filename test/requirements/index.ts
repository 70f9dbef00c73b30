import { adapters } from "./adapters.ts";
import { configuration } from "./configuration.ts";
import { controller } from "./controller.ts";
import { engine } from "./engine.ts";
import { hooks } from "./hooks.ts";
import { inspector } from "./inspector.ts";
import { install } from "./install.ts";
import { knowledge } from "./knowledge.ts";
import { locks } from "./locks.ts";
import { mcp } from "./mcp.ts";
import { people } from "./people.ts";
import { pins } from "./pins.ts";
import { plugins } from "./plugins.ts";
import { project } from "./project.ts";
import { repository } from "./repository.ts";
import type { Requirement } from "./requirement.ts";
import { sandbox } from "./sandbox.ts";
import { seeds } from "./seeds.ts";
import { server } from "./server.ts";
import { trust } from "./trust.ts";

export const requirements: readonly Requirement[] = [
  ...repository,
  ...engine,
  ...seeds,
  ...controller,
  ...adapters,
  ...mcp,
  ...hooks,
  ...install,
  ...plugins,
  ...people,
  ...project,
  ...knowledge,
  ...pins,
  ...sandbox,
  ...server,
  ...trust,
  ...inspector,
  ...locks,
  ...configuration,
];
