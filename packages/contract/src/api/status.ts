import { z } from 'zod';
import { route } from '../route.ts';
import { publicSignInProvider } from './sign-in-provider.ts';
import { meanings } from '../meanings.ts';
import { product } from '../product.ts';

/** Public settings by their names in the status. Each name is the `publicAs` of a declared setting. */
export const publicSettings = z.object({
  email_verification: z
    .boolean()
    .meta({ zh: '注册需要验证邮箱', en: 'True when sign-up needs a verified address' }),
  password_login_enabled: z.boolean().meta({ zh: '允许密码登录', en: 'True when passwords log in' }),
  password_register_enabled: z
    .boolean()
    .meta({ zh: '允许密码注册', en: 'True when one can sign up with a password' }),
  register_enabled: z.boolean().meta({ zh: '允许注册', en: 'True when sign-up is open' }),
  github_oauth: z.boolean().meta({ zh: '允许 GitHub 登录', en: 'True when GitHub signs in' }),
  github_client_id: z
    .string()
    .meta({ zh: 'GitHub 的 Client ID', en: 'Client id at GitHub', example: 'gate' }),
  discord_oauth: z.boolean().meta({ zh: '允许 Discord 登录', en: 'True when Discord signs in' }),
  linuxdo_oauth: z.boolean().meta({ zh: '允许 LinuxDO 登录', en: 'True when LinuxDO signs in' }),
  linuxdo_client_id: z.string().meta({ zh: 'LinuxDO 的 Client ID', en: 'Client id at LinuxDO' }),
  telegram_oauth: z.boolean().meta({ zh: '允许 Telegram 登录', en: 'True when Telegram signs in' }),
  telegram_bot_name: z
    .string()
    .meta({ zh: 'Telegram 机器人的名称', en: 'Name of the Telegram bot', example: 'gate_bot' }),
  wechat_login: z.boolean().meta({ zh: '允许微信登录', en: 'True when WeChat signs in' }),
  wechat_qrcode: z.string().meta({ zh: '微信二维码的地址', en: 'Address of the WeChat QR code' }),
  oidc_enabled: z.boolean().meta({ zh: '允许 OIDC 登录', en: 'True when OIDC signs in' }),
  oidc_client_id: z.string().meta({ zh: 'OIDC 的 Client ID', en: 'Client id at the OIDC provider' }),
  oidc_authorization_endpoint: z
    .string()
    .meta({ zh: 'OIDC 的授权地址', en: 'Authorization endpoint of the OIDC provider' }),
  turnstile_check: z.boolean().meta({ zh: '启用人机验证', en: 'True when the human check is on' }),
  turnstile_site_key: z.string().meta({ zh: '人机验证的站点密钥', en: 'Site key of the human check' }),
  system_name: z.string().meta({ zh: '站点名称', en: 'Name of the site', example: `${product.name}` }),
  logo: z.string().meta({ zh: '图标的地址；空为默认', en: 'Address of the logo; empty for the default' }),
  footer_html: z.string().meta({ zh: '页脚的 HTML', en: 'HTML of the footer' }),
  docs_link: z.string().meta({ zh: '文档的地址', en: 'Address of the documentation' }),
  server_address: z
    .string()
    .meta({ zh: '站点的地址', en: 'Address of the site', example: 'https://gate.example' }),
  price: z.number().meta({
    zh: '充值一美元额度的价格，支付所用货币',
    en: 'What a dollar of quota costs, in the currency of payments',
    example: 7.3,
  }),
  min_topup: z.number().meta({ zh: '最小充值数量，美元', en: 'The least top-up, in dollars' }),
  top_up_steps: z.record(z.string(), z.number()).meta({
    zh: '充值档位：美元 → 价格的折扣系数',
    en: 'Steps of top-ups: dollars → factor of the price from there on',
    example: { 100: 0.95 },
  }),
  enable_stripe_topup: z.boolean().meta({ zh: '可以通过 Stripe 充值', en: 'True when Stripe is set up' }),
  /** Tollgate extension. */
  stripe_currency: z
    .string()
    .meta({ zh: 'Stripe 支付所用货币的代码', en: 'Code of the currency at Stripe', example: 'usd' }),
  top_up_link: z.string().meta({ zh: '充值页面的地址', en: 'Address of a page to buy quota' }),
  quota_per_unit: z
    .number()
    .meta({ zh: '一美元对应的额度单位数', en: 'Quota units for a dollar', example: 500_000 }),
  display_in_currency: z.boolean().meta({ zh: '以货币显示额度', en: 'True when quota is shown as money' }),
  default_use_auto_group: z
    .boolean()
    .meta({ zh: '新令牌默认使用 auto 分组', en: 'True when new keys use the group `auto`' }),
  signed_receipts: z.boolean().meta({ zh: '账目有签名收据', en: 'True when entries get signed receipts' }),
  enable_drawing: z.boolean().meta({ zh: '启用绘图', en: 'True when drawings are on' }),
  enable_task: z.boolean().meta({ zh: '启用异步任务', en: 'True when tasks are on' }),
  enable_data_export: z.boolean().meta({ zh: '启用数据看板', en: 'True when usage charts are on' }),
  data_export_default_time: z
    .enum(['hour', 'day', 'week'])
    .meta({ zh: '看板的默认粒度', en: 'Default step of usage charts' }),
  default_collapse_sidebar: z
    .boolean()
    .meta({ zh: '默认收起侧边栏', en: 'True when the sidebar begins collapsed' }),
  mj_notify_enabled: z.boolean().meta({ zh: '允许绘图回调', en: 'True when drawings may call back' }),
  demo_site_enabled: z.boolean().meta({ zh: '演示站点模式', en: 'True for a demo site' }),
  self_use_mode_enabled: z.boolean().meta({ zh: '自用模式', en: 'True in self-use mode' }),
  /** Tollgate extension. */
  status_page: z.boolean().meta({ zh: '公开状态页已开启', en: 'True when the public status page is on' }),
  /** Tollgate extension. */
  public_pricing: z.boolean().meta({ zh: '游客可以查看价格', en: 'True when guests see models and prices' }),
  chats: z
    .array(z.record(z.string(), z.string()))
    .readonly()
    .meta({ zh: '聊天应用：名称与链接', en: 'Chat applications: name and link' }),
});
export type PublicSettings = z.output<typeof publicSettings>;

/** Public information of the site (docs/compatibility.md#envelope-and-routes). */
export const statusData = publicSettings.extend({
  version: z.string().meta({ zh: '版本', en: 'Version', example: 'v1.0.0' }),
  /** Tollgate extension. */
  demo_binds_root: z
    .boolean()
    .meta({ zh: '演示站点对超级管理员同样有效', en: 'True when not even root changes this demo site' }),
  /** Enabled OpenID providers added by root, in the order of their buttons. Newer clients use this name. */
  custom_oauth_providers: z
    .array(publicSignInProvider)
    .meta({ zh: '自定义登录方式，按按钮顺序', en: 'OpenID providers in the order of their buttons' }),
  /** Tollgate extension. */
  turnstile_url: z.string().meta({
    zh: '人机验证服务的来源',
    en: 'Origin of the human check',
    example: 'https://challenges.cloudflare.com',
  }),
  start_time: z.number().int().meta(meanings.seconds),
  enable_online_topup: z.boolean().meta({ zh: '可以在线充值', en: 'True when online payment is set up' }),
  /** Always false, because every settlement is durable at once. Kept for older clients. */
  enable_batch_update: z.boolean().meta({ zh: '总为 false', en: 'Always false' }),
  /** True if there is an announcement. Avoids unnecessary requests. */
  has_notice: z.boolean().meta({ zh: '有公告', en: 'True when there is an announcement' }),
  /**
   * Identifies the current text of the announcement, so that the console can check whether the user has read it; ''
   * for none. A Tollgate extension.
   */
  notice_mark: z
    .string()
    .meta({ zh: '公告内容的标识；没有时为空', en: 'Names the text of the announcement; empty for none' }),
  has_home_page: z.boolean().meta({ zh: '有自定义首页', en: 'True when the operator wrote a home page' }),
  /** True if passkeys can be used. They require the address of the site. Newer clients use this name. */
  passkey_login: z.boolean().meta({ zh: '可以使用通行密钥', en: 'True when passkeys can be used' }),
  setup: z.boolean().meta(meanings.isSetUp),
});
export type StatusData = z.output<typeof statusData>;

const noInput = z.object({});

/** Public texts: docs/compatibility.md#envelope-and-routes. */
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
  /** Returns `Server is running`, or 503 if the database does not respond. */
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
  /** Markdown, HTML or the address of a page to embed. */
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
