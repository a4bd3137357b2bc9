// What CTRF's own library makes of a report: node ctrf_reads.cjs PEERS REPORT
const [peers, report] = process.argv.slice(2)
const ctrf = require(`${peers}/ctrf`)
const read = ctrf.parse(require('node:fs').readFileSync(report, 'utf-8'))
const { valid, errors } = ctrf.validate(read)
const { tests, passed, failed, skipped, pending, other } = ctrf.calculateSummary(read.results.tests)
const flaky = read.results.tests.filter((test) => ctrf.isTestFlaky(test)).map((test) => test.name)
console.log(JSON.stringify({ valid, errors, flaky, summary: { tests, passed, failed, skipped, pending, other } }))
