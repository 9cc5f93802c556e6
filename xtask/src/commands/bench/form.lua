-- The same form with each request: its arguments are the header and the body.
function init(args)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
   wrk.headers["Authorization"] = "Basic " .. args[1]
   wrk.body = args[2]
end
