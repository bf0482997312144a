export { sunoTasks } from './suno.ts';
