// The real nexrender server, on loopback only: its own command line listens everywhere.
'use strict'

const micro = require('micro')
const { createHandler } = require('@nexrender/server')

micro(createHandler(process.env.NEXRENDER_SECRET || '')).listen(Number(process.env.NEXRENDER_PORT), '127.0.0.1')
