-- The refresh token of an earlier answer with each request. Each thread begins with every other one.
local threads = 0

function setup(thread)
   thread:set("number", threads)
   threads = threads + 1
end

function init(args)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
   wrk.headers["Authorization"] = "Basic " .. args[2]
   tokens, first, last = {}, 1, 0
   local line = 0
   for token in io.lines(args[1]) do
      if line % 2 == number then
         last = last + 1
         tokens[last] = token
      end
      line = line + 1
   end
end

function request()
   local token = tokens[first] or "none_is_left"
   tokens[first] = nil
   first = first + 1
   return wrk.format(nil, nil, nil, "grant_type=refresh_token&refresh_token=" .. token)
end

function response(status, headers, body)
   local token = body:match('"refresh_token":"([^"]+)"')
   if token then
      last = last + 1
      tokens[last] = token
   end
end
