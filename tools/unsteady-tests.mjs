import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter: writes the names of the tests that passed only on their second try, a line each, to the file that
 * UNSTEADY_TESTS names, so that `npm test` can print them.
 */
export default class UnsteadyTests {
  #names = [];

  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd() {
    writeFileSync(process.env.UNSTEADY_TESTS, this.#names.join('\n'));
  }
}
