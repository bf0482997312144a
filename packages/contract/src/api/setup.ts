import { z } from 'zod';
import { route } from '../route.ts';

/** How far the site is set up (docs/compatibility.md#set-up); once it is, `status` alone is answered. */
export const setupData = z.object({
  status: z.boolean(),
  /** True when a root user exists already; the form then asks for the mode only. */
  root_init: z.boolean().optional(),
  database_type: z.enum(['sqlite', 'mysql', 'postgres']).optional(),
  /** True while the form must carry the one-time token that the server printed at its start (Tollgate extension). */
  token_required: z.boolean().optional(),
});
export type SetupData = z.output<typeof setupData>;

// Every fault has a message of its own (docs/compatibility.md#set-up), so the service checks what is merely text here.
const word = z.string().max(1_000).default('');

/** The first start: docs/compatibility.md#set-up. Refusals are HTTP 400. */
export const setupApi = {
  get: route('GET', '/api/setup', {
    summary: { zh: '查询站点是否已初始化', en: 'Ask how far the site is set up' },
    access: 'public',
    input: z.object({}),
    data: setupData,
  }),
  create: route('POST', '/api/setup', {
    summary: {
      zh: '初始化站点：创建超级管理员并选择运行模式',
      en: 'Set up the site: its first super admin and its mode',
    },
    audit: 'setting.setup',
    access: 'public',
    demo: true,
    errors: [
      'setup_done',
      'setup_input',
      'setup_passwords_differ',
      'setup_password_short',
      'setup_token_wrong',
      'insecure_transport',
      'username_taken',
      'username_unclear',
      'password_common',
      'server_busy',
      'too_many_attempts',
    ],
    example: {
      username: 'root',
      password: 'correct horse battery',
      confirmPassword: 'correct horse battery',
    },
    critical: true,
    input: z.object({
      username: word,
      password: word,
      confirmPassword: word,
      SelfUseModeEnabled: z.boolean().default(false),
      DemoSiteEnabled: z.boolean().default(false),
      /**
       * A Tollgate extension: make a sandbox channel and a token, so that a first call works without any vendor's
       * key.
       */
      sandbox: z.boolean().default(false),
      /** A Tollgate extension: the one-time token that the server printed at its start. */
      token: word,
    }),
    /** The sandbox token's whole key, without `sk-`, when one was asked for (Tollgate extension). */
    data: z.object({ key: z.string() }).nullable(),
    done: { zh: '系统初始化成功', en: 'System initialization succeeded' },
  }),
};
export type SetupInput = z.output<typeof setupApi.create.input>;
