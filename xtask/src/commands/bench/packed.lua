-- Another compressed envelope with each request, from a file of them. Each thread begins elsewhere, and begins again after the last.
local threads = 0

function setup(thread)
   thread:set("number", threads)
   threads = threads + 1
end

function init(args)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/x-sentry-envelope"
   wrk.headers["Content-Encoding"] = "gzip"
   if args[2] ~= "" then
      wrk.headers["X-Sentry-Auth"] = "Sentry sentry_key=" .. args[2] .. ", sentry_version=7"
   end
   requests = {}
   local file = assert(io.open(args[1], "rb"))
   local length = file:read("*l")
   while length do
      requests[#requests + 1] = wrk.format(nil, nil, nil, file:read(tonumber(length)))
      length = file:read("*l")
   end
   place = number * math.floor(#requests / 2)
end

function request()
   place = place % #requests + 1
   return requests[place]
end
