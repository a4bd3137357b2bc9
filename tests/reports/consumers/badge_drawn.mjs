// Draws a badge as shields.io does of what its endpoint reads: node badge_drawn.mjs PEERS BADGE.json
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [peers, file] = process.argv.slice(2)
const { makeBadge } = await import(pathToFileURL(`${peers}/badge-maker/lib/index.js`))
const { label, message, color } = JSON.parse(readFileSync(file, 'utf-8'))
process.stdout.write(makeBadge({ label, message, color }))
