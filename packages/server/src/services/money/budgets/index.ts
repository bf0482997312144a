export { type BudgetedCall, type BudgetRules, budgetsMark, createBudgetRules } from './rules.ts';
export { type Budgets, createBudgets } from './service.ts';
