import { z } from 'zod';
import { route } from '../route.ts';
import { meanings } from '../meanings.ts';

/** State of the set-up (docs/compatibility.md#set-up). After the set-up, only `status` is returned. */
export const setupData = z.object({
  status: z.boolean().meta(meanings.isSetUp),
  root_init: z.boolean().optional().meta({ zh: '超级管理员已存在', en: 'True when a root user exists' }),
  database_type: z
    .enum(['sqlite', 'mysql', 'postgres'])
    .optional()
    .meta({ zh: '数据库的种类', en: 'Kind of database' }),
  /** True if the form must include the one-time token that the server prints at its start (Tollgate extension). */
  token_required: z
    .boolean()
    .optional()
    .meta({ zh: '需要启动时输出的一次性口令', en: 'True while the one-time token is needed' }),
});
export type SetupData = z.output<typeof setupData>;

// Each error has a separate message (docs/compatibility.md#set-up), so the service checks these texts.
const word = z.string().max(1_000).default('');

/** Set-up at the first start: docs/compatibility.md#set-up. Errors have status 400. */
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
      username: word.meta(meanings.username),
      password: word.meta(meanings.password),
      confirmPassword: word.meta({ zh: '再次输入的密码', en: 'The password again' }),
      SelfUseModeEnabled: z.boolean().default(false).meta({ zh: '自用模式', en: 'Self-use mode' }),
      DemoSiteEnabled: z.boolean().default(false).meta({ zh: '演示站点模式', en: 'Demo mode' }),
      /**
       * Creates a sandbox channel and a token, so that a first call works without a vendor's key. A Tollgate
       * extension.
       */
      sandbox: z
        .boolean()
        .default(false)
        .meta({ zh: '创建沙盒渠道与令牌', en: 'Makes a sandbox channel and a key' }),
      /** Tollgate extension. */
      token: word.meta({
        zh: '服务器启动时输出的一次性口令',
        en: 'One-time token that the server printed at its start',
      }),
    }),
    /** Whole key of the sandbox token without `sk-`, if the request asked for a sandbox (Tollgate extension). */
    data: z.object({ key: z.string().meta({ zh: '供应商密钥', en: 'Key of the vendor' }) }).nullable(),
    done: { zh: '系统初始化成功', en: 'System initialization succeeded' },
  }),
  /**
   * Reads the database of another gateway as an import would, and writes nothing (docs/how-to/move-in.md). Only before the
   * set-up, with its token. A Tollgate extension.
   */
  rehearse: route('POST', '/api/setup/rehearse', {
    summary: {
      zh: '初始化前试运行从其他网关的迁入，不写入任何数据',
      en: 'Rehearse an import from another gateway before the set-up',
    },
    access: 'public',
    errors: [
      'setup_done',
      'setup_token_wrong',
      'insecure_transport',
      'server_busy',
      'too_many_attempts',
      'import_refused',
    ],
    example: { source_database: 'postgres://me:secret@127.0.0.1:5432/litellm', token: 'printed' },
    critical: true,
    input: z.object({
      token: word.meta({
        zh: '服务器启动时输出的一次性口令',
        en: 'One-time token that the server printed at its start',
      }),
      source_database: z.string().trim().min(1).max(2_000).meta({
        zh: '原网关的数据库地址，或服务器上的 SQLite 文件路径',
        en: 'Address of the other gateway’s database, or the path of its SQLite file on the server',
        example: '/data/one-api.db',
      }),
      credit: z.number().min(0).max(1_000_000_000).optional().meta({
        zh: '来自 LiteLLM 时每个付款方的初始额度，美元',
        en: 'US dollars with which everybody who pays starts, for LiteLLM',
        example: 1_000,
      }),
      source_key: word.meta({
        zh: '解密原数据的密钥：LiteLLM 的 salt key，或 sub2api 的 TOTP 密钥',
        en: 'What decrypts the data: the salt key of LiteLLM, or the TOTP key of sub2api',
      }),
    }),
    data: z.object({
      report: z.string().meta({
        zh: '报告：会迁入什么、有何变化、什么不会迁入',
        en: 'The report: what comes, what changes and what does not',
        example: 'Source: one-api, on sqlite',
      }),
    }),
  }),
};
export type RehearsalInput = z.output<typeof setupApi.rehearse.input>;
export type SetupInput = z.output<typeof setupApi.create.input>;
