import { defineProvider } from '../../provider-kit/index.ts';
import { sunoTasks } from '../../tasks/suno/index.ts';

/** Songs and their words, by a Suno server of the operator's. */
export const suno = defineProvider({
  type: 36,
  id: 'suno',
  name: 'Suno API',
  models: ['suno_music', 'suno_lyrics'],
  endpoints: {},
  testable: false,
  tasks: { music: sunoTasks },
});
