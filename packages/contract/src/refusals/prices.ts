/** Refusals of changes of prices. */
export const priceErrors = {
  price_changed: {
    status: 200,
    zh: '{model} 的价格已被修改，请刷新后重试',
    en: 'The price of {model} has changed meanwhile: refresh and try again',
  },
  price_is_zero: {
    status: 200,
    zh: '价格表不能将 {model} 设为免费',
    en: 'A list cannot make {model} free',
  },
  price_needs_own_approval: {
    status: 200,
    zh: '{model} 的价格变化过大，需要单独批准',
    en: 'The price of {model} jumps: it needs an approval of its own',
  },
  model_without_price: {
    status: 200,
    zh: '{model} 没有价格',
    en: '{model} has no price',
  },
  month_busy: {
    status: 200,
    zh: '正在进行的试算过多，请稍后重试',
    en: 'Too many months are being priced: please try again shortly',
  },
} as const;
