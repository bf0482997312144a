import { defineProvider } from '../../provider-kit/index.ts';
import { songModels, sunoTasks } from '../../tasks/index.ts';

/** Songs and their words, by a Suno server of the operator's. */
export const suno = defineProvider({
  type: 36,
  id: 'suno',
  name: 'Suno API',
  models: songModels,
  endpoints: {},
  testable: false,
  tasks: { music: sunoTasks },
});
