/** Refusals of cost prices. */
export const costErrors = {
  cost_price_unusable: {
    status: 400,
    zh: '成本价不可用：要么只填每次调用的价格，要么填写输入价格；输入价格为 0 时其他价格也须为 0',
    en: 'This cost price cannot be used: name a price for each call alone, or the price of the input; where that is 0, so are the others',
  },
  cost_models_too_many: {
    status: 400,
    zh: '成本价表最多 2000 个模型',
    en: 'A table of cost prices has 2,000 models at most',
  },
} as const;
