// Where the modules are: those of the installed package if its folder is named, else of the checkout.

import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const folder =
  process.env.WEIGHTPATH_SCRIPT ??
  resolve(import.meta.dirname ?? ".", "../../../src/weightpath/page/script");

export const load = (name) => import(pathToFileURL(resolve(folder, `${name}.mjs`)).href);
