import { z } from 'zod';
import { route } from '../route.ts';

/** Groups: docs/compatibility.md#envelope-and-routes. */
export const groupApi = {
  /** Names of all groups (the keys of the option GroupRatio). */
  list: route('GET', '/api/group/', {
    summary: { zh: '列出所有分组的名称', en: 'List the names of all groups' },
    access: 'admin',
    input: z.object({}),
    data: z.array(z.string()),
  }),
};
