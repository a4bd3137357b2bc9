// Gives Cucumber's own HTML formatter a file of messages, as Cucumber would: node cucumber_html.mjs PEERS MESSAGES PAGE
import { createWriteStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'

const [peers, messages, page] = process.argv.slice(2)
const { CucumberHtmlStream } = await import(pathToFileURL(`${peers}/@cucumber/html-formatter/dist/src/index.js`))
const envelopes = readFileSync(messages, 'utf-8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))
await pipeline(Readable.from(envelopes), new CucumberHtmlStream(), createWriteStream(page))
