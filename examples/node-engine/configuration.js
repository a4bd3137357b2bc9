/** Which adapter, provider and model serve a phase, and in which image (§16.7). Kept in the store, so that it outlives a restart. */

import { isAdapter } from "./adapters/table.js";

export class Configuration {
  #store;

  constructor(store) {
    this.#store = store;
  }

  /** Returns the text of a refusal, or null. */
  accept({ projects, images }) {
    const unknown = projects.flatMap((project) => project.bindings).find((binding) => !isAdapter(binding.adapter));
    if (unknown !== undefined) return `binding of phase ${unknown.phase}: there is no adapter ${unknown.adapter}`;
    this.#store.write((tables) => (tables.configuration = structuredClone({ projects, images })));
    return null;
  }

  get images() {
    return this.#store.tables.configuration.images;
  }

  image(adapter) {
    return this.images.find((row) => row.adapter === adapter)?.image ?? null;
  }

  install({ adapter, image }) {
    this.#store.write(({ configuration }) => {
      configuration.images = [...configuration.images.filter((row) => row.adapter !== adapter), { adapter, image }];
    });
  }

  binding({ organization, project }, phase) {
    const bindings = this.#project(organization, project)?.bindings ?? [];
    const found = bindings.find((binding) => binding.phase === phase) ?? bindings.find((binding) => !binding.phase);
    if (found === undefined) throw new Error(`no binding for phase ${phase} of ${organization}/${project}`);
    return found;
  }

  /** Without a phase, all phases are bound anew. */
  bind({ organization, project, phase, binding }) {
    if (!isAdapter(binding.adapter)) return `there is no adapter ${binding.adapter}`;
    const row = this.#project(organization, project);
    if (row === undefined) return `there is no project ${organization}/${project}`;
    this.#store.write(() => {
      const others = phase ? row.bindings.filter((other) => other.phase !== phase) : [];
      row.bindings = [...others, { ...binding, phase: phase ?? null }];
    });
    return null;
  }

  #project(organization, name) {
    const { projects } = this.#store.tables.configuration;
    return projects.find((row) => row.organization === organization && row.name === name);
  }
}
