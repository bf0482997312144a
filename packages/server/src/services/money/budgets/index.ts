export { addBudget, hasBudget, type MemberBudget, removeBudget, setBudget } from './set-budget.ts';
export { type BudgetedCall, type BudgetRules, budgetsMark, createBudgetRules, giveBudgets } from './rules.ts';
export { type AskedRun, createRuns, maxRunLevels, runLevels, type Runs } from './runs.ts';
export {
  type Budgets,
  budgetsLeft,
  budgetsOfKey,
  createBudgets,
  fundsOfRun,
  type KeyBudget,
} from './service.ts';
