import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter: writes what must be read at the end of a run to the file that TEST_OUTCOMES names, a line each, so that
 * `npm test` can print it: tests that failed, or passed only on their second try, with the first line of their first error.
 */
export default class TestOutcomes {
  #lines = [];

  onTestCaseResult(test) {
    const name = `${test.module.relativeModuleId}: ${test.fullName}`;
    const { state, errors = [] } = test.result();
    const line = `${name}: ${firstLine(errors[0])}`;
    if (state === 'failed') this.#lines.push(`failed: ${line}`);
    else if (test.diagnostic()?.flaky) this.#lines.push(`passed on the second try only: ${line}`);
  }

  onTestModuleEnd(file) {
    for (const error of file.errors())
      this.#lines.push(`failed: ${file.relativeModuleId}: ${firstLine(error)}`);
  }

  onTestSuiteResult(suite) {
    for (const error of suite.errors())
      this.#lines.push(`failed: ${suite.module.relativeModuleId}: ${suite.fullName}: ${firstLine(error)}`);
  }

  onTestRunEnd(files, errors) {
    for (const error of errors) this.#lines.push(`failed: outside of a test: ${firstLine(error)}`);
    writeFileSync(process.env.TEST_OUTCOMES, this.#lines.join('\n'));
  }
}

const firstLine = (error) => (error?.message ?? String(error)).split('\n', 1)[0].slice(0, 300);
