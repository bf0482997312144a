import { z } from 'zod';
import { route } from '../route.ts';
import { publicSignInProvider } from './sign-in-provider.ts';

/** The settings that everybody may see, by their names in the status; each is a declared setting's `publicAs`. */
export const publicSettings = z.object({
  email_verification: z.boolean(),
  password_login_enabled: z.boolean(),
  password_register_enabled: z.boolean(),
  register_enabled: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  discord_oauth: z.boolean(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  oidc_enabled: z.boolean(),
  oidc_client_id: z.string(),
  oidc_authorization_endpoint: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  docs_link: z.string(),
  server_address: z.string(),
  price: z.number(),
  min_topup: z.number(),
  top_up_link: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  data_export_default_time: z.enum(['hour', 'day', 'week']),
  default_collapse_sidebar: z.boolean(),
  mj_notify_enabled: z.boolean(),
  demo_site_enabled: z.boolean(),
  self_use_mode_enabled: z.boolean(),
  /** False keeps guests from the models and their prices (Tollgate extension). */
  public_pricing: z.boolean(),
  /** Chat applications: objects of one name and its link. */
  chats: z.array(z.record(z.string(), z.string())).readonly(),
});
export type PublicSettings = z.output<typeof publicSettings>;

/** What the site tells anybody about itself (docs/compatibility.md#envelope-and-routes). */
export const statusData = publicSettings.extend({
  version: z.string(),
  /** True when not even root changes this demo site (Tollgate extension). */
  demo_binds_root: z.boolean(),
  /** OpenID providers that root added and that are switched on, in the order of their buttons; newer clients' name. */
  custom_oauth_providers: z.array(publicSignInProvider),
  /** Origin of the human check's service, for its script (Tollgate extension). */
  turnstile_url: z.string(),
  /** Unix seconds. */
  start_time: z.number().int(),
  /** True when address, merchant id and key of the payment gateway are filled in. */
  enable_online_topup: z.boolean(),
  /** Always false: every settlement is durable at once here. Kept for older clients. */
  enable_batch_update: z.boolean(),
  /** True when the operator announces something, so that nobody asks for an announcement in vain. */
  has_notice: z.boolean(),
  /**
   * Names the announcement's present text, so that a console knows whether it was read; '' for none. A Tollgate
   * extension.
   */
  notice_mark: z.string(),
  /** True when the operator wrote a home page. */
  has_home_page: z.boolean(),
  /** True when passkeys can be used, which need the address of the site; newer clients' name. */
  passkey_login: z.boolean(),
  /** True once the site was set up. */
  setup: z.boolean(),
});
export type StatusData = z.output<typeof statusData>;

const noInput = z.object({});

/** What a visitor may read: docs/compatibility.md#envelope-and-routes. */
export const statusApi = {
  status: route('GET', '/api/status', {
    summary: {
      zh: '读取站点的名称、开关与显示设置',
      en: 'Tell what everybody may know of the site: its name, switches and how amounts are shown',
    },
    access: 'public',
    input: noInput,
    data: statusData,
  }),
  /** Answers `Server is running`, or 503 when the database does not answer. */
  test: route('GET', '/api/status/test', {
    summary: { zh: '检查服务器与数据库是否正常', en: 'Check that the server and its database answer' },
    access: 'admin',
    input: noInput,
    data: z.null(),
    done: { zh: 'Server is running', en: 'Server is running' },
  }),
  /** Markdown or HTML; '' for none. */
  notice: route('GET', '/api/notice', {
    summary: { zh: '读取公告', en: 'Read the announcement' },
    access: 'public',
    input: noInput,
    data: z.string(),
  }),
  /** Markdown, HTML or one address to embed. */
  about: route('GET', '/api/about', {
    summary: { zh: '读取“关于”页面的内容', en: 'Read what the page “About” shows' },
    access: 'public',
    input: noInput,
    data: z.string(),
  }),
  homePageContent: route('GET', '/api/home_page_content', {
    summary: { zh: '读取首页的内容', en: 'Read what the operator wrote for the first page' },
    access: 'public',
    input: noInput,
    data: z.string(),
  }),
};
