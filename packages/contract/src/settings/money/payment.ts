import { currency, decimal, group, integer, json, secret, text, toggle, url } from '../define.ts';
import * as z from 'zod/mini';
import { matching, ratioTable } from '../shapes.ts';

/** Dollars from which a factor of the price applies. */
const topUpSteps: z.ZodMiniType<Readonly<Record<string, number>>> = z.record(
  matching(/^[1-9]\d{0,5}$/),
  z.number().check(z.gt(0), z.lte(1)),
);

export const payment = group(
  'payments',
  { zh: '支付设置', en: 'Payment' },
  {
    PayAddress: url({
      base: true,
      default: '',
      guards: ['EpayKey'],
      label: { zh: '支付地址', en: 'Payment address' },
      help: {
        zh: '易支付接口地址，不填则不启用在线支付',
        en: 'The epay gateway; leave empty to turn online payment off',
      },
    }),
    EpayId: text({
      default: '',
      label: { zh: '易支付商户 ID', en: 'Merchant ID' },
      help: { zh: '由易支付提供', en: 'Provided by the epay provider' },
    }),
    EpayKey: secret({
      label: { zh: '易支付商户密钥', en: 'Merchant key' },
      help: { zh: '修改支付地址后需要重新填写', en: 'Must be entered again when the address changes' },
    }),
    CustomCallbackAddress: url({
      base: true,
      default: '',
      label: { zh: '回调地址', en: 'Callback address' },
      help: { zh: '不填则使用服务器地址', en: 'Leave empty to use the server address' },
    }),
    Price: decimal({
      default: 7.3,
      min: 0,
      max: 1_000_000,
      publicAs: 'price',
      label: { zh: '充值价格（x 元/美金）', en: 'Price of one dollar of balance' },
      help: { zh: '例如：7，即 7 元兑 1 美元', en: 'In the currency of the payment gateway' },
    }),
    MinTopUp: integer({
      default: 1,
      min: 1,
      max: 1_000_000,
      publicAs: 'min_topup',
      label: { zh: '最低充值美元数量', en: 'Minimum top-up (dollars)' },
      help: { zh: '最低充值多少美元', en: 'Smaller amounts are refused' },
    }),
    TopUpSteps: json({
      schema: topUpSteps,
      default: {},
      publicAs: 'top_up_steps',
      label: { zh: '充值档位与折扣', en: 'Steps and discounts' },
      help: {
        zh: 'JSON，{"100": 0.95}：充值不少于 100 美元时价格乘以 0.95；各档位显示为按钮',
        en: 'JSON: {"100": 0.95} is 5 % off from $100 on; the steps are offered as buttons',
      },
    }),
    TopupGroupRatio: json({
      schema: ratioTable,
      notJson: 'topup_group_ratio_not_json',
      default: { default: 1, vip: 1, svip: 1 },
      label: { zh: '充值分组倍率', en: 'Group top-up ratios' },
      help: {
        zh: 'JSON，键为分组名称，值为充值价格的倍率',
        en: 'JSON: group → factor applied to the top-up price',
      },
    }),
  },
);

export const stripe = group(
  'payments',
  { zh: 'Stripe 支付设置', en: 'Stripe' },
  {
    'stripe.enabled': toggle({
      default: false,
      publicAs: 'enable_stripe_topup',
      requires: { filled: ['stripe.secret_key', 'stripe.webhook_secret'], error: 'stripe_not_configured' },
      label: { zh: '允许通过 Stripe 充值', en: 'Top up by Stripe' },
      help: { zh: '银行卡等支付方式', en: 'Cards and what else your account offers' },
    }),
    'stripe.secret_key': secret({
      label: { zh: 'Stripe 密钥', en: 'Secret key' },
      help: { zh: 'sk_… 或 rk_…', en: 'sk_… or rk_…' },
    }),
    'stripe.webhook_secret': secret({
      label: { zh: 'Webhook 签名密钥', en: 'Webhook signing secret' },
      help: {
        zh: 'whsec_…，回调地址为 <服务器地址>/api/stripe/webhook',
        en: 'whsec_… of the endpoint <server address>/api/stripe/webhook',
      },
    }),
    'stripe.currency': currency({
      default: 'usd',
      publicAs: 'stripe_currency',
      label: { zh: '支付货币', en: 'Currency' },
      help: { zh: 'ISO 4217 代码，例如 usd、eur', en: 'An ISO 4217 code, such as usd or eur' },
    }),
    'stripe.unit_price': decimal({
      default: 1,
      min: 0,
      max: 1_000_000,
      label: { zh: '充值价格（每美金）', en: 'Price of one dollar of balance' },
      help: { zh: '以支付货币计', en: 'In the currency above' },
    }),
    'stripe.invoices': toggle({
      default: false,
      label: { zh: '由 Stripe 开具发票', en: 'Let Stripe write invoices' },
      help: {
        zh: '付款后生成带连续编号的 PDF 发票；Stripe 可能收费',
        en: 'A numbered PDF for each payment, with its taxes; Stripe may charge for it',
      },
    }),
    'stripe.automatic_tax': toggle({
      default: false,
      label: { zh: '由 Stripe 计算税款', en: 'Let Stripe add taxes' },
      help: { zh: '税款在价格之外收取', en: 'On top of the price; needs Stripe Tax' },
    }),
  },
);
